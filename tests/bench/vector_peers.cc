// FAISS (flat and HNSW) and hnswlib behind vector_peers.h, each with one thread and its usual parameters. Packaged FAISS is
// compiled for any x86-64: its two distance functions are replaced by ones for this very processor (--wrap), as hnswlib's are.
#include "vector_peers.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/impl/IDSelector.h>
#include <faiss/index_io.h>
#include <hnswlib/hnswlib.h>
#include <omp.h>
#include <time.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

constexpr int LINKS = 16;

double now_s()
{
    timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

} // namespace

extern "C" float __wrap__ZN5faiss10fvec_L2sqrEPKfS1_m(const float *x, const float *y, size_t d)
{
    float sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < d; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

extern "C" float __wrap__ZN5faiss18fvec_inner_productEPKfS1_m(const float *x, const float *y, size_t d)
{
    float sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < d; i++)
        sum += x[i] * y[i];
    return sum;
}

struct peer {
    virtual ~peer() = default;
    virtual const char *name() const = 0;
    virtual void build(const float *rows, size_t n, size_t dim) = 0;
    virtual bool load(const std::string &, size_t)
    {
        return false;
    }
    virtual void save(const std::string &) const
    {
    }
    virtual size_t bytes() const = 0;
    virtual bool effort(size_t)
    {
        return false;
    }
    virtual bool insert(const float *row, size_t label) = 0;
    virtual bool remove(uint32_t)
    {
        return false;
    }
    virtual bool search(const float *query, size_t k, const uint64_t *allowed, uint32_t *rows) = 0;
    double build_s = 0;
    size_t n = 0, more = 0, dim = 0, inserted = 0, build_effort = 0;
};

namespace {

// A bitmap of 64-bit words is one of bytes on a little-endian machine.
struct allowed_rows : faiss::IDSelectorBitmap {
    allowed_rows(size_t n, const uint64_t *words)
        : faiss::IDSelectorBitmap((n + 7) / 8, reinterpret_cast<const uint8_t *>(words))
    {
    }
};

template <class INDEX, class PARAMETERS>
bool faiss_search(const INDEX &index, PARAMETERS &parameters, const float *query, size_t k, const uint64_t *allowed,
                  uint32_t *rows)
{
    std::vector<float> scores(k);
    std::vector<faiss::Index::idx_t> labels(k);
    allowed_rows filter((size_t)index.ntotal, allowed);

    parameters.sel = allowed ? &filter : nullptr;
    index.search(1, query, (faiss::Index::idx_t)k, scores.data(), labels.data(), &parameters);
    for (size_t i = 0; i < k; i++)
        rows[i] = labels[i] < 0 ? UINT32_MAX : (uint32_t)labels[i];
    return true;
}

struct faiss_flat : peer {
    std::unique_ptr<faiss::IndexFlatIP> index;

    const char *name() const override
    {
        return "FAISS flat";
    }
    void build(const float *rows, size_t n_rows, size_t d) override
    {
        index = std::make_unique<faiss::IndexFlatIP>((faiss::Index::idx_t)d);
        index->add((faiss::Index::idx_t)n_rows, rows);
    }
    bool insert(const float *row, size_t) override
    {
        index->add(1, row);
        return true;
    }
    bool remove(uint32_t row) override
    {
        faiss::IDSelectorRange one(row, row + 1);

        return index->remove_ids(one) == 1;
    }
    size_t bytes() const override
    {
        return n * dim * sizeof(float);
    }
    bool search(const float *query, size_t k, const uint64_t *allowed, uint32_t *rows) override
    {
        faiss::SearchParameters parameters;

        return faiss_search(*index, parameters, query, k, allowed, rows);
    }
};

struct faiss_hnsw : peer {
    std::unique_ptr<faiss::IndexHNSWFlat> index;

    const char *name() const override
    {
        return "FAISS HNSW";
    }
    void build(const float *rows, size_t n_rows, size_t d) override
    {
        index = std::make_unique<faiss::IndexHNSWFlat>((int)d, LINKS); // by distance: the same order at length 1
        index->hnsw.efConstruction = (int)build_effort;
        index->add((faiss::Index::idx_t)n_rows, rows);
    }
    bool insert(const float *row, size_t) override
    {
        index->add(1, row);
        return true;
    }
    bool load(const std::string &path, size_t) override
    {
        try {
            index.reset(dynamic_cast<faiss::IndexHNSWFlat *>(faiss::read_index(path.c_str())));
        } catch (...) {
            return false;
        }
        return index != nullptr;
    }
    void save(const std::string &path) const override
    {
        faiss::write_index(index.get(), path.c_str());
    }
    size_t bytes() const override
    {
        return n * (dim * sizeof(float) + 2 * LINKS * sizeof(faiss::HNSW::storage_idx_t));
    }
    bool effort(size_t e) override
    {
        index->hnsw.efSearch = (int)e;
        return true;
    }
    bool search(const float *query, size_t k, const uint64_t *allowed, uint32_t *rows) override
    {
        faiss::SearchParametersHNSW parameters;

        parameters.efSearch = index->hnsw.efSearch;
        return faiss_search(*index, parameters, query, k, allowed, rows);
    }
};

struct hnswlib_hnsw : peer {
    std::unique_ptr<hnswlib::InnerProductSpace> space;
    std::unique_ptr<hnswlib::HierarchicalNSW<float>> index;

    const char *name() const override
    {
        return "hnswlib";
    }
    void build(const float *rows, size_t n_rows, size_t d) override
    {
        space = std::make_unique<hnswlib::InnerProductSpace>(d);
        index = std::make_unique<hnswlib::HierarchicalNSW<float>>(space.get(), n_rows + more, LINKS, build_effort);
        for (size_t i = 0; i < n_rows; i++)
            index->addPoint(rows + i * d, i);
    }
    bool insert(const float *row, size_t label) override
    {
        index->addPoint(row, label);
        return true;
    }
    bool remove(uint32_t row) override
    {
        index->markDelete(row);
        return true;
    }
    bool load(const std::string &path, size_t d) override
    {
        space = std::make_unique<hnswlib::InnerProductSpace>(d);
        try {
            index = std::make_unique<hnswlib::HierarchicalNSW<float>>(space.get(), path, false, n + more);
        } catch (...) {
            return false;
        }
        return true;
    }
    void save(const std::string &path) const override
    {
        index->saveIndex(path);
    }
    size_t bytes() const override
    {
        return n * index->size_data_per_element_;
    }
    bool effort(size_t e) override
    {
        index->setEf(e);
        return true;
    }
    bool search(const float *query, size_t k, const uint64_t *allowed, uint32_t *rows) override
    {
        if (allowed)
            return false;
        auto found = index->searchKnn(query, k);
        for (size_t i = 0; i < k; i++)
            rows[i] = UINT32_MAX;
        for (size_t i = found.size(); i-- > 0; found.pop())
            rows[i] = (uint32_t)found.top().second;
        return true;
    }
};

// Sums the first bytes, so that what was built of other vectors is not taken for these.
std::string cache_path(const peer &p, const float *rows, const char *folder)
{
    double sum = 0;
    char path[4096];

    for (size_t i = 0; i < p.dim * 16 && i < p.n * p.dim; i++)
        sum += (double)rows[i] * (double)(i + 1);
    std::snprintf(path, sizeof path, "%s/%.5s-%zu-%zu-%zu-%.9g.index", folder, p.name() + 2, p.n, p.dim, p.build_effort, sum);
    for (char *c = path; *c; c++)
        if (*c == ' ')
            *c = '_';
    return path;
}

bool load_built(peer &p, const std::string &path)
{
    FILE *f = std::fopen((path + ".seconds").c_str(), "r");
    bool is_there = f && std::fscanf(f, "%lf", &p.build_s) == 1;

    if (f)
        std::fclose(f);
    return is_there && p.load(path, p.dim);
}

void save_built(const peer &p, const std::string &path)
{
    FILE *f;

    p.save(path);
    f = std::fopen((path + ".seconds").c_str(), "w");
    if (f) {
        std::fprintf(f, "%f\n", p.build_s);
        std::fclose(f);
    }
}

} // namespace

struct peer *peer_new(size_t i, const float *rows, size_t n, size_t more, size_t dim, size_t build_effort, const char *cache)
{
    peer *p = i == 0 ? (peer *)new faiss_flat : i == 1 ? (peer *)new faiss_hnsw : i == 2 ? (peer *)new hnswlib_hnsw : nullptr;

    if (!p)
        return nullptr;
    omp_set_num_threads(1);
    p->n = n;
    p->more = more;
    p->dim = dim;
    p->build_effort = build_effort;
    if (!cache || i == 0 || !load_built(*p, cache_path(*p, rows, cache))) {
        double begin = now_s();

        p->build(rows, n, dim);
        p->build_s = now_s() - begin;
        if (cache && i)
            save_built(*p, cache_path(*p, rows, cache));
    }
    return p;
}

void peer_free(struct peer *p)
{
    delete p;
}

const char *peer_name(const struct peer *p)
{
    return p->name();
}

double peer_build_s(const struct peer *p)
{
    return p->build_s;
}

size_t peer_bytes(const struct peer *p)
{
    return p->bytes();
}

bool peer_effort(struct peer *p, size_t effort)
{
    return p->effort(effort);
}

bool peer_search(struct peer *p, const float *query, size_t k, const uint64_t *allowed, uint32_t *rows)
{
    return p->search(query, k, allowed, rows);
}

bool peer_insert(struct peer *p, const float *row)
{
    return p->insert(row, p->n + p->inserted++);
}

bool peer_delete(struct peer *p, uint32_t row)
{
    return p->remove(row);
}
