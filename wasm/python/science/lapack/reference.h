/* For a real type T and its complex type C; included once for each. */

T REAL(lamch)(char *what)
{
    switch (*what | 32) {
    case 'e': return EPSILON * (T)0.5;
    case 's': return MINIMUM;
    case 'b': return 2;
    case 'p': return EPSILON;
    case 'n': return DIGITS;
    case 'r': return 1;
    case 'm': return MINIMUM_EXPONENT;
    case 'u': return MINIMUM;
    case 'l': return MAXIMUM_EXPONENT;
    case 'o': return MAXIMUM;
    }
    return 0;
}

T REAL(lamc3)(T *a, T *b)
{
    volatile T sum = *a + *b;
    return sum;
}

/* scale and sum such that scale² sum is what it was, and the sum of the squares of x. */
static void REAL(add_square)(T x, T *scale, T *sum)
{
    T size = x < 0 ? -x : x;
    if (size == 0)
        return;
    if (*scale < size) {
        T ratio = *scale / size;
        *sum = 1 + *sum * ratio * ratio;
        *scale = size;
    } else {
        T ratio = size / *scale;
        *sum += size == *scale ? 1 : ratio * ratio;
    }
}

void REAL(lassq)(int *n, T *x, int *step, T *scale, T *sum)
{
    if (isnan(*scale) || isnan(*sum))
        return;
    if (*sum == 0)
        *scale = 1;
    if (*scale == 0) {
        *scale = 1;
        *sum = 0;
    }
    int at = *step < 0 ? -(*n - 1) * *step : 0;
    for (int i = 0; i < *n; i++, at += *step)
        REAL(add_square)(x[at], scale, sum);
}

void COMPLEX(lassq)(int *n, C *x, int *step, T *scale, T *sum)
{
    if (isnan(*scale) || isnan(*sum))
        return;
    if (*sum == 0)
        *scale = 1;
    if (*scale == 0) {
        *scale = 1;
        *sum = 0;
    }
    int at = *step < 0 ? -(*n - 1) * *step : 0;
    for (int i = 0; i < *n; i++, at += *step) {
        T *parts = (T *)&x[at];
        REAL(add_square)(parts[0], scale, sum);
        REAL(add_square)(parts[1], scale, sum);
    }
}

/* The plain sum of squares where it is neither too large nor too small to be exact. */
static T REAL(norm)(int n, T *x, int step, int parts)
{
    if (n < 1)
        return 0;
    T sum = 0, scale = 0, scaled = 1;
    x += step < 0 ? -(long)(n - 1) * step * parts : 0;
    for (int i = 0; i < n; i++)
        for (int part = 0; part < parts; part++) {
            T value = x[(long)i * step * parts + part];
            sum += value * value;
        }
    if ((sum > MINIMUM / EPSILON && sum <= MAXIMUM) || isnan(sum))
        return sqrt(sum);
    for (int i = 0; i < n; i++)
        for (int part = 0; part < parts; part++) {
            T value = x[(long)i * step * parts + part];
            if (isinf(value))
                return INFINITY;
            REAL(add_square)(value, &scale, &scaled);
        }
    return scale * (T)sqrt(scaled);
}

T REAL(nrm2)(int *n, T *x, int *step)
{
    return REAL(norm)(*n, x, *step, 1);
}

T REAL_NORM_OF_COMPLEX(int *n, C *x, int *step)
{
    return REAL(norm)(*n, (T *)x, *step, 2);
}

void REAL(lartg)(T *f, T *g, T *c, T *s, T *r)
{
    if (*g == 0) {
        *c = 1;
        *s = 0;
        *r = *f;
    } else if (*f == 0) {
        T size = fabs(*g);
        *c = 0;
        *s = *g < 0 ? -1 : 1;
        *r = size;
    } else {
        T length = hypot(*f, *g), first = *f, second = *g;
        *c = fabs(first) / length;
        *r = first < 0 ? -length : length;
        *s = second / *r;
    }
}

void COMPLEX(lartg)(C *f_at, C *g_at, T *c, C *s, C *r)
{
    C f = *f_at, g = *g_at;
    T f_size = hypot(creal(f), cimag(f)), g_size = hypot(creal(g), cimag(g));
    if (g_size == 0) {
        *c = 1;
        *s = 0;
        *r = f;
    } else if (f_size == 0) {
        *c = 0;
        *s = conj(g) / g_size;
        *r = g_size;
    } else {
        T length = hypot(f_size, g_size);
        C direction = f / f_size;
        *c = f_size / length;
        *s = direction * conj(g / length);
        *r = direction * length;
    }
}

void REAL(rotg)(T *a, T *b, T *c, T *s)
{
    T first = fabs(*a), second = fabs(*b);
    if (second == 0) {
        *c = 1;
        *s = 0;
        *b = 0;
        return;
    }
    if (first == 0) {
        *c = 0;
        *s = 1;
        *a = *b;
        *b = 1;
        return;
    }
    T length = hypot(first, second);
    T r = (first > second ? *a : *b) < 0 ? -length : length;
    *c = *a / r;
    *s = *b / r;
    *b = first > second ? *s : *c != 0 ? 1 / *c : 1;
    *a = r;
}

void COMPLEX(rotg)(C *a, C *b, T *c, C *s)
{
    C r;
    COMPLEX(lartg)(a, b, c, s, &r);
    *a = r;
}
