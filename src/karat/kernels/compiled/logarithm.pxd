cdef struct Pair:
    double high
    double low

cdef Pair two_sum(double a, double b) noexcept nogil
cdef Pair two_product(double a, double b) noexcept nogil
cdef Pair log_of(double x, const double* table, Py_ssize_t size) noexcept nogil
