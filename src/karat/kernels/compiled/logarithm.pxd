# What the loops share: sums and products as two doubles, short enough to be compiled into each of them.

cdef struct Pair:
    double high
    double low


cdef inline Pair two_sum(double a, double b) noexcept nogil:
    cdef Pair result
    cdef double s = a + b
    cdef double t = s - a
    result.high = s
    result.low = (a - (s - t)) + (b - t)
    return result


cdef inline Pair two_product(double a, double b) noexcept nogil:
    cdef Pair result
    cdef double p = a * b
    cdef double a_high = 134217729.0 * a - (134217729.0 * a - a)
    cdef double b_high = 134217729.0 * b - (134217729.0 * b - b)
    cdef double a_low = a - a_high
    cdef double b_low = b - b_high
    result.high = p
    result.low = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low
    return result


cdef Pair log_of(double x, const double* table, Py_ssize_t size) noexcept nogil
