"""The pictures, a module for each, which declares it by @picture; the module is named for its picture."""
