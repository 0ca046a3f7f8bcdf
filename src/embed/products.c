/* Rows times weights; see products.h. */
#include "products.h"

static size_t bytes_of_code(enum model_precision p)
{
    return p == PRECISION_F32 ? 0 : p == PRECISION_BF16 ? sizeof(uint16_t) : 1;
}

size_t products_size(enum model_precision p, size_t rows, size_t widest)
{
    return rows * ((widest + 3) / 4 * 4 * bytes_of_code(p) + sizeof(float) + sizeof(int32_t));
}

void products_take(struct products *p, size_t rows, size_t widest, void *memory)
{
    p->coded = memory;
    p->code_scale = (float *)((uint8_t *)memory + rows * ((widest + 3) / 4 * 4) * bytes_of_code(p->precision));
    p->code_zero = (int32_t *)(p->code_scale + rows);
}

void product_code_row(struct products *p, size_t r, const float *x, size_t dim)
{
    if (p->precision == PRECISION_INT8) {
        struct quantized q = p->k->quantize(x, dim, (uint8_t *)p->coded + r * dim);

        p->code_scale[r] = q.scale;
        p->code_zero[r] = q.zero;
    } else {
        p->k->to_bf16(x, dim, (uint16_t *)p->coded + r * dim);
    }
}

void product_of_coded(struct products *p, size_t m, const void *a, size_t rows, float *c, int how)
{
    const struct model_plan *plan = p->model->plan;
    const struct model_shape s = plan->matrices[m];
    const uint8_t *weights = p->model->weights[p->precision] + model_weights_at(plan, p->precision, m);
    struct gemm g = {
        .rows = rows, .depth = s.depth, .columns = s.columns,
        .a = a, .a_stride = s.depth, .c = c, .c_stride = s.columns,
        .w = weights, .w_stride = GEMM_PANEL, .w_panel = GEMM_PANEL * s.depth,
        .bias = p->model->biases + model_bias_at(plan, m),
        .add = how & PRODUCT_ADD, .relu = how & PRODUCT_RELU,
        .a_scale = p->code_scale, .a_zero = p->code_zero,
    };

    switch (p->precision) {
    case PRECISION_INT8:
        g.w_scale = (const float *)(weights + s.depth * s.columns);
        g.w_sum = (const int32_t *)(g.w_scale + s.columns);
        p->k->gemm_i8(&g);
        break;
    case PRECISION_BF16:
        p->k->gemm_bf16(&g);
        break;
    default:
        p->k->gemm_f32(&g);
    }
}

void product_of_rows(struct products *p, size_t m, const float *a, size_t rows, float *c, int how)
{
    size_t dim = p->model->plan->matrices[m].depth;

    for (size_t r = 0; p->precision != PRECISION_F32 && r < rows; r++)
        product_code_row(p, r, a + r * dim, dim);
    product_of_coded(p, m, p->precision == PRECISION_F32 ? a : p->coded, rows, c, how);
}
