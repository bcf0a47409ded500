/* The functions of one real type: T, in vectors V of LANES; NAME(x) is the name of x for it. Included once for each. */

enum { NAME(ROWS) = 4, NAME(COLUMNS) = 2 * LANES };

static T NAME(dot_of)(size_t n, const T *x, ptrdiff_t x_step, const T *y, ptrdiff_t y_step)
{
    T sum = 0;
    size_t i = 0;
    if (x_step == 1 && y_step == 1) {
        V sums[4] = {{0}};
        for (; i + 4 * LANES <= n; i += 4 * LANES) {
            for (int part = 0; part < 4; part++) {
                V a, b;
                memcpy(&a, x + i + part * LANES, sizeof(V));
                memcpy(&b, y + i + part * LANES, sizeof(V));
                sums[part] += a * b;
            }
        }
        V all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for (int lane = 0; lane < LANES; lane++)
            sum += all[lane];
    }
    for (; i < n; i++)
        sum += x[(ptrdiff_t)i * x_step] * y[(ptrdiff_t)i * y_step];
    return sum;
}

static void NAME(add_multiple)(size_t n, T factor, const T *x, ptrdiff_t x_step, T *y, ptrdiff_t y_step)
{
    for (size_t i = 0; i < n; i++)
        y[(ptrdiff_t)i * y_step] += factor * x[(ptrdiff_t)i * x_step];
}

/* ROWS rows of a packed panel times COLUMNS columns of another: added to c, of which `rows` × `columns` are wanted. */
static void NAME(kernel)(size_t depth, const T *a, const T *b, T alpha, T *c, size_t c_step, size_t rows, size_t columns)
{
    V sums[4][2] = {{{0}}};
    for (size_t p = 0; p < depth; p++, a += NAME(ROWS), b += NAME(COLUMNS)) {
        V left, right;
        memcpy(&left, b, sizeof(V));
        memcpy(&right, b + LANES, sizeof(V));
        for (int i = 0; i < NAME(ROWS); i++) {
            sums[i][0] += a[i] * left;
            sums[i][1] += a[i] * right;
        }
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            c[i * c_step + j] += alpha * sums[i][j / LANES][j % LANES];
}

/* Copies `count` lines of `depth` elements into panels of `width` lines that lie beside each other; missing ones are 0. */
static void NAME(pack)(T *to, const T *from, ptrdiff_t line, ptrdiff_t along, size_t count, size_t depth, size_t width)
{
    for (size_t first = 0; first < count; first += width)
        for (size_t p = 0; p < depth; p++)
            for (size_t i = first; i < first + width; i++)
                *to++ = i < count ? from[(ptrdiff_t)i * line + (ptrdiff_t)p * along] : 0;
}

/* c += alpha a b, with any steps between elements of a and b; c's rows are contiguous. */
static void NAME(multiply)(size_t m, size_t n, size_t k, T alpha, const T *a, ptrdiff_t a_row, ptrdiff_t a_column,
                           const T *b, ptrdiff_t b_row, ptrdiff_t b_column, T *c, size_t c_step)
{
    T *packed = m * n * k > SMALL ? malloc((BLOCK_ROWS + BLOCK_COLUMNS) * (size_t)BLOCK_DEPTH * sizeof(T)) : NULL;
    if (packed == NULL) {
        for (size_t i = 0; i < m; i++)
            for (size_t p = 0; p < k; p++)
                NAME(add_multiple)(n, alpha * a[(ptrdiff_t)i * a_row + (ptrdiff_t)p * a_column],
                                   b + (ptrdiff_t)p * b_row, b_column, c + i * c_step, 1);
        return;
    }
    T *packed_b = packed + BLOCK_ROWS * BLOCK_DEPTH;
    for (size_t j0 = 0; j0 < n; j0 += BLOCK_COLUMNS) {
        size_t columns = least(BLOCK_COLUMNS, n - j0);
        for (size_t p0 = 0; p0 < k; p0 += BLOCK_DEPTH) {
            size_t depth = least(BLOCK_DEPTH, k - p0);
            NAME(pack)(packed_b, b + (ptrdiff_t)p0 * b_row + (ptrdiff_t)j0 * b_column, b_column, b_row, columns, depth,
                       NAME(COLUMNS));
            for (size_t i0 = 0; i0 < m; i0 += BLOCK_ROWS) {
                size_t rows = least(BLOCK_ROWS, m - i0);
                NAME(pack)(packed, a + (ptrdiff_t)i0 * a_row + (ptrdiff_t)p0 * a_column, a_row, a_column, rows, depth,
                           NAME(ROWS));
                for (size_t j = 0; j < columns; j += NAME(COLUMNS))
                    for (size_t i = 0; i < rows; i += NAME(ROWS))
                        NAME(kernel)(depth, packed + i * depth, packed_b + j * depth, alpha,
                                     c + (i0 + i) * c_step + j0 + j, c_step, least(NAME(ROWS), rows - i),
                                     least(NAME(COLUMNS), columns - j));
            }
        }
    }
    free(packed);
}

static void NAME(scale)(size_t m, size_t n, T factor, T *c, size_t step)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            c[i * step + j] = factor == 0 ? 0 : factor * c[i * step + j];
}

T CBLAS(dot)(int n, const T *x, int x_step, const T *y, int y_step)
{
    return NAME(dot_of)(n, x + first(n, x_step), x_step, y + first(n, y_step), y_step);
}

void CBLAS(axpy)(int n, T factor, const T *x, int x_step, T *y, int y_step)
{
    NAME(add_multiple)(n, factor, x + first(n, x_step), x_step, y + first(n, y_step), y_step);
}

void CBLAS(gemv)(enum order order, enum transpose transpose, int m, int n, T alpha, const T *a, int a_step, const T *x,
                 int x_step, T beta, T *y, int y_step)
{
    int rows = transpose == PLAIN ? m : n, columns = transpose == PLAIN ? n : m;
    int by_rows = (order == BY_ROWS) == (transpose == PLAIN);
    x += first(columns, x_step);
    y += first(rows, y_step);
    for (int i = 0; i < rows; i++)
        y[(ptrdiff_t)i * y_step] = beta == 0 ? 0 : beta * y[(ptrdiff_t)i * y_step];
    if (by_rows)
        for (int i = 0; i < rows; i++)
            y[(ptrdiff_t)i * y_step] += alpha * NAME(dot_of)(columns, a + (size_t)i * a_step, 1, x, x_step);
    else
        for (int j = 0; j < columns; j++)
            NAME(add_multiple)(rows, alpha * x[(ptrdiff_t)j * x_step], a + (size_t)j * a_step, 1, y, y_step);
}

void CBLAS(gemm)(enum order order, enum transpose a_way, enum transpose b_way, int m, int n, int k, T alpha, const T *a,
                 int a_step, const T *b, int b_step, T beta, T *c, int c_step)
{
    if (order == BY_COLUMNS) {
        CBLAS(gemm)(BY_ROWS, b_way, a_way, n, m, k, alpha, b, b_step, a, a_step, beta, c, c_step);
        return;
    }
    NAME(scale)(m, n, beta, c, c_step);
    NAME(multiply)(m, n, k, alpha, a, a_way == PLAIN ? a_step : 1, a_way == PLAIN ? 1 : a_step, b,
                   b_way == PLAIN ? b_step : 1, b_way == PLAIN ? 1 : b_step, c, c_step);
}

/* All of c, where only one triangle is asked for: the other one is the same mirrored. */
void CBLAS(syrk)(enum order order, int triangle, enum transpose way, int n, int k, T alpha, const T *a, int a_step,
                 T beta, T *c, int c_step)
{
    (void)triangle;
    CBLAS(gemm)(order, way, way == PLAIN ? TRANSPOSED : PLAIN, n, n, k, alpha, a, a_step, a, a_step, beta, c, c_step);
}
