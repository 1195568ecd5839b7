// Mean and variance in one pass (Welford 1962; Chan, Golub and LeVeque 1983), and logsumexp in one pass: the accumulators.

#pragma once

#include <cfloat>

struct moments {
    float mean, m2;
    unsigned n;
};

struct moments_of_one {
    __host__ __device__ moments operator()(float x) const { return {x, 0.0f, 1}; }
};

// One fast division, without a branch for empty sides: an empty side has the weight 0.
struct merge_moments {
    __device__ moments operator()(const moments& a, const moments& b) const
    {
        const unsigned n = a.n + b.n;
        const float weight = __fdividef((float)b.n, (float)n);
        const float delta = b.mean - a.mean;
        return {a.mean + delta * weight, a.m2 + b.m2 + delta * delta * (float)a.n * weight, n};
    }
};

struct scaled {
    float largest, sum;
};

struct scaled_of_one {
    __host__ __device__ scaled operator()(float x) const { return {x, 1.0f}; }
};

// One exponential: the sum with the larger maximum is scaled by 1.
struct merge_scaled {
    __device__ scaled operator()(const scaled& a, const scaled& b) const
    {
        const bool swap = b.largest > a.largest;
        const scaled high = swap ? b : a;
        const scaled low = swap ? a : b;
        return {high.largest, high.sum + low.sum * __expf(low.largest - high.largest)};
    }
};
