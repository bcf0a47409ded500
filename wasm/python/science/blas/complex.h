/* The functions of one complex type: C, made of REAL; NAME(x) is the name of x for it, REAL_NAME(x) that for REAL. */

static C NAME(load)(const void *at, ptrdiff_t index)
{
    return ((const C *)at)[index];
}

static C NAME(dot_of)(int n, const C *x, int x_step, const C *y, int y_step, int conjugate)
{
    C sum = 0;
    x += first(n, x_step);
    y += first(n, y_step);
    for (int i = 0; i < n; i++) {
        C left = x[(ptrdiff_t)i * x_step], right = y[(ptrdiff_t)i * y_step];
        REAL a = __real__ left, b = conjugate ? -__imag__ left : __imag__ left;
        __real__ sum += a * __real__ right - b * __imag__ right;
        __imag__ sum += a * __imag__ right + b * __real__ right;
    }
    return sum;
}

/* Without what C asks of a product whose result is not a number. */
static C NAME(times)(C left, C right)
{
    C product;
    __real__ product = __real__ left * __real__ right - __imag__ left * __imag__ right;
    __imag__ product = __real__ left * __imag__ right + __imag__ left * __real__ right;
    return product;
}

void CBLAS(dotu_sub)(int n, const void *x, int x_step, const void *y, int y_step, void *result)
{
    *(C *)result = NAME(dot_of)(n, x, x_step, y, y_step, 0);
}

void CBLAS(dotc_sub)(int n, const void *x, int x_step, const void *y, int y_step, void *result)
{
    *(C *)result = NAME(dot_of)(n, x, x_step, y, y_step, 1);
}

void CBLAS(axpy)(int n, const void *factor, const void *x, int x_step, void *y, int y_step)
{
    const C *from = (const C *)x + first(n, x_step);
    C *to = (C *)y + first(n, y_step);
    for (int i = 0; i < n; i++)
        to[(ptrdiff_t)i * y_step] += NAME(times)(NAME(load)(factor, 0), from[(ptrdiff_t)i * x_step]);
}

/* The real or the imaginary parts of a matrix as it is meant: `rows` × `columns`, one after another. */
static void NAME(parts)(REAL *to, const C *from, int imaginary, enum transpose way, int rows, int columns, int step)
{
    REAL sign = imaginary && way == CONJUGATED ? -1 : 1;
    const REAL *part = (const REAL *)from + imaginary;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            *to++ = sign * part[2 * (way == PLAIN ? (size_t)i * step + j : (size_t)j * step + i)];
}

static void NAME(slowly)(enum transpose a_way, enum transpose b_way, int m, int n, int k, C alpha, const C *a, int a_step,
                         const C *b, int b_step, C *c, int c_step)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C sum = 0;
            for (int p = 0; p < k; p++) {
                C left = a[a_way == PLAIN ? (size_t)i * a_step + p : (size_t)p * a_step + i];
                C right = b[b_way == PLAIN ? (size_t)p * b_step + j : (size_t)j * b_step + p];
                if (a_way == CONJUGATED)
                    __imag__ left = -__imag__ left;
                if (b_way == CONJUGATED)
                    __imag__ right = -__imag__ right;
                sum += NAME(times)(left, right);
            }
            c[(size_t)i * c_step + j] += NAME(times)(alpha, sum);
        }
}

/* By real products of real and imaginary parts: four of them, of twice the speed each. */
void CBLAS(gemm)(enum order order, enum transpose a_way, enum transpose b_way, int m, int n, int k, const void *alpha,
                 const void *a, int a_step, const void *b, int b_step, const void *beta, void *c, int c_step)
{
    if (order == BY_COLUMNS) {
        CBLAS(gemm)(BY_ROWS, b_way, a_way, n, m, k, alpha, b, b_step, a, a_step, beta, c, c_step);
        return;
    }
    C *result = c, factor = NAME(load)(beta, 0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C *at = result + (size_t)i * c_step + j;
            *at = factor == 0 ? 0 : NAME(times)(factor, *at);
        }
    size_t a_size = (size_t)m * k, b_size = (size_t)k * n, c_size = (size_t)m * n;
    REAL *room = (size_t)m * n * k > SMALL ? calloc(2 * (a_size + b_size + c_size), sizeof(REAL)) : NULL;
    if (room == NULL) {
        NAME(slowly)(a_way, b_way, m, n, k, NAME(load)(alpha, 0), a, a_step, b, b_step, c, c_step);
        return;
    }
    REAL *as[2] = {room, room + a_size}, *bs[2] = {as[1] + a_size, as[1] + a_size + b_size};
    REAL *cs[2] = {bs[1] + b_size, bs[1] + b_size + c_size};
    for (int part = 0; part < 2; part++) {
        NAME(parts)(as[part], a, part, a_way, m, k, a_step);
        NAME(parts)(bs[part], b, part, b_way, k, n, b_step);
    }
    for (int left = 0; left < 2; left++)
        for (int right = 0; right < 2; right++)
            REAL_NAME(multiply)(m, n, k, left && right ? -1 : 1, as[left], k, 1, bs[right], n, 1, cs[left != right], n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C sum;
            __real__ sum = cs[0][(size_t)i * n + j];
            __imag__ sum = cs[1][(size_t)i * n + j];
            result[(size_t)i * c_step + j] += NAME(times)(NAME(load)(alpha, 0), sum);
        }
    free(room);
}

void CBLAS(gemv)(enum order order, enum transpose way, int m, int n, const void *alpha, const void *a, int a_step,
                 const void *x, int x_step, const void *beta, void *y, int y_step)
{
    int rows = way == PLAIN ? m : n, columns = way == PLAIN ? n : m;
    int by_rows = (order == BY_ROWS) == (way == PLAIN);
    const C *from = (const C *)x + first(columns, x_step);
    C *to = (C *)y + first(rows, y_step);
    for (int i = 0; i < rows; i++) {
        C sum = 0, *at = to + (ptrdiff_t)i * y_step, factor = NAME(load)(beta, 0);
        for (int j = 0; j < columns; j++) {
            C left = NAME(load)(a, by_rows ? (size_t)i * a_step + j : (size_t)j * a_step + i);
            if (way == CONJUGATED)
                __imag__ left = -__imag__ left;
            sum += NAME(times)(left, from[(ptrdiff_t)j * x_step]);
        }
        *at = (factor == 0 ? 0 : NAME(times)(factor, *at)) + NAME(times)(NAME(load)(alpha, 0), sum);
    }
}

/* As for real numbers. */
void CBLAS(syrk)(enum order order, int triangle, enum transpose way, int n, int k, const void *alpha, const void *a,
                 int a_step, const void *beta, void *c, int c_step)
{
    (void)triangle;
    CBLAS(gemm)(order, way, way == PLAIN ? TRANSPOSED : PLAIN, n, n, k, alpha, a, a_step, a, a_step, beta, c, c_step);
}
