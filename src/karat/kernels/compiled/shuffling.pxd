# NumPy's interface to a stream of random bits (numpy/random/bitgen.h).

ctypedef struct Bits:
    void* state
    unsigned long long (*next_uint64)(void*) noexcept nogil
    unsigned int (*next_uint32)(void*) noexcept nogil
    double (*next_double)(void*) noexcept nogil
    unsigned long long (*next_raw)(void*) noexcept nogil
