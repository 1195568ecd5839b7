//! The table of names from NumPy, SciPy, BLAS, pandas, CuPy, PyTorch, Julia, SQL, Thrust and CUB.

/// Prepends two inputs of `f32` to the fields.
macro_rules! pair {
    ($fields:literal) => {
        concat!("inputs: { x: f32, y: f32 }, ", $fields)
    };
}

/// The names, separated by spaces; the fields to write; a note.
type Row = (&'static str, &'static str, &'static str);

/// Operators of other libraries that a specification can express.
pub(super) const NAMES: &[Row] = &[
    // Sums and products.
    ("add plus total", "op: sum", ""),
    ("nansum", "op: sum, nan: ignore", ""),
    ("kahan_sum kahan fsum neumaier sum_kbn sum_kahan", "op: sum_compensated", ""),
    ("mul multiply product times", "op: prod", ""),
    ("nanprod", "op: prod, nan: ignore", ""),
    ("sumsq sum_sq ssq sumsquares sum_squares sumofsquares sum_square", "op: sum_of_squares", ""),
    ("sumabs sum_abs abs_sum asum sasum dasum l1norm l1_norm norm_l1", "op: norm1", ""),
    ("logaddexp log_sum_exp lse", "op: logsumexp", ""),
    ("logprod sumlog sum_log", "map: |x| x.ln(), op: sum", ""),
    // Means.
    ("avg average", "op: mean", "`op: weighted_mean` takes the weights as a second input"),
    ("nanmean", "op: mean, nan: ignore", ""),
    ("weighted_average wmean", pair!("op: weighted_mean"), "`y` are the weights"),
    ("rms quadratic_mean root_mean_square", "map: |x| x * x, op: mean, finish: |m| m.sqrt()", ""),
    ("mean_square meansq", "map: |x| x * x, op: mean", ""),
    ("gmean geomean geometric_mean", "map: |x| x.ln(), op: mean, finish: |m| m.exp()", ""),
    ("hmean harmonic_mean", "map: |x| 1.0 / x, op: mean, finish: |m| 1.0 / m", ""),
    // Variances and moments.
    ("variance", "op: var", DDOF),
    ("stddev stdev standard_deviation", "op: std", DDOF),
    ("var_pop varp", "op: var", ""),
    ("stddev_pop stdevp pstdev std_pop", "op: std", ""),
    ("pvariance", "op: var", ""),
    ("var_samp vars", "params: { ddof: u64 }, op: var", ONE),
    ("stddev_samp stdevs std_samp", "params: { ddof: u64 }, op: std", ONE),
    ("nanvar", "op: var, nan: ignore", DDOF),
    ("nanstd", "op: std, nan: ignore", DDOF),
    (
        "sem standard_error",
        "params: { ddof: u64 }, op: std, finish: |s, n| s / (n as f32).sqrt()",
        "give 1 for `ddof`, as SciPy does",
    ),
    ("skew", "op: skewness", ""),
    ("kurt", "op: kurtosis", ""),
    ("summary summarystats", "op: describe", ""),
    // The smallest and the largest.
    ("maximum amax largest greatest reduce_max", "op: max", ""),
    ("minimum amin smallest least reduce_min", "op: min", ""),
    ("nanmax fmax maxnum", "op: max, nan: ignore", ""),
    ("nanmin fmin minnum", "op: min, nan: ignore", ""),
    ("extrema aminmax min_max", "op: minmax", ""),
    ("ptp peak_to_peak value_range", "op: minmax, finish: |r| r.max - r.min", ""),
    ("midrange", "op: minmax, finish: |r| (r.min + r.max) * 0.5", ""),
    ("absmax abs_max maxabs max_abs amaxabs linf_norm norm_linf norm_max", "op: norm_inf", ""),
    ("minabs min_abs abs_min", "map: |x| x.abs(), op: min", ""),
    // Positions.
    ("idxmax nanargmax", "op: argmax, nan: ignore", ""),
    ("idxmin nanargmin", "op: argmin, nan: ignore", ""),
    ("arg_max max_element indmax", "op: argmax", "`op: findmax` gives the element as well"),
    ("arg_min min_element indmin", "op: argmin", "`op: findmin` gives the element as well"),
    ("minmax_element arg_min_max", "op: argminmax", ""),
    ("max_by max_with_index maxloc", "op: findmax", ""),
    ("min_by min_with_index minloc", "op: findmin", ""),
    ("iamax isamax idamax i_amax ixamax argmaxabs", "map: |x| x.abs(), op: argmax", "positions begin at 0"),
    ("iamin isamin idamin i_amin ixamin argminabs", "map: |x| x.abs(), op: argmin", "positions begin at 0"),
    (
        "find findfirst find_first find_if first_index index_of",
        "index: i, filter: |x| x > 0.0, map: |_x| i, op: first",
        "the condition is an example; the result is an error if no element satisfies it",
    ),
    (
        "findlast find_last last_index",
        "index: i, filter: |x| x > 0.0, map: |_x| i, op: last",
        "the condition is an example",
    ),
    ("head first_value any_value", "op: first", ""),
    ("tail last_value", "op: last", ""),
    // Norms and distances.
    ("norm vector_norm", "op: norm2", "`op: norm1` and `op: norm_inf` are the other norms"),
    ("nrm2 snrm2 dnrm2 l2norm l2_norm norm_l2 euclidean_norm hypot", "op: norm2", ""),
    ("l0norm l0_norm norm0 nnz countnz count_nonzeros", "op: count_nonzero", ""),
    ("vdot inner inner_product sdot ddot innerproduct dot_product", pair!("op: dot"), ""),
    ("sqeuclidean ssd sum_squared_difference squared_euclidean sse", pair!("op: squared_distance"), ""),
    ("euclidean euclidean_distance l2_distance", pair!("op: squared_distance, finish: |d| d.sqrt()"), ""),
    ("cityblock manhattan sad l1_distance", pair!("map: |x, y| (x - y).abs(), op: sum"), ""),
    ("chebyshev max_abs_diff linf_distance max_error", pair!("map: |x, y| (x - y).abs(), op: max"), ""),
    ("hamming_distance", pair!("map: |x, y| x != y, op: count"), ""),
    ("mae mean_absolute_error l1_loss", pair!("map: |x, y| (x - y).abs(), op: mean"), ""),
    ("mse mean_squared_error mse_loss", pair!("map: |x, y| (x - y) * (x - y), op: mean"), ""),
    (
        "rmse rmsd root_mean_squared_error",
        pair!("map: |x, y| (x - y) * (x - y), op: mean, finish: |m| m.sqrt()"),
        "",
    ),
    ("cosine_similarity", COSINE, ""),
    ("cosine", COSINE, "this is the similarity; SciPy's distance is 1 minus it"),
    ("array_equal equal equals", pair!("map: |x, y| x == y, op: all"), ""),
    ("allclose", pair!("map: |x, y| (x - y).abs() <= 1e-8 + 1e-5 * y.abs(), op: all"), ""),
    // Bits and booleans.
    ("bit_and bitand bitwise_and", "op: and", ""),
    ("bit_or bitor bitwise_or", "op: or", ""),
    ("bit_xor bitxor bitwise_xor", "op: xor", ""),
    ("logical_xor", "map: |x| x != 0.0, op: xor", ""),
    ("bool_and every logical_and all_of", "op: all", ""),
    ("bool_or some logical_or any_of", "op: any", ""),
    ("none_of", "op: any, finish: |found| !found", ""),
    ("count_true counttrue", "op: count", "`op: count_nonzero` takes numbers"),
    ("count_if countif count_where", "map: |x| x > 0.0, op: count", "the condition is an example"),
    ("sum_if sumif sum_where", "filter: |x| x > 0.0, op: sum", "the condition is an example"),
    ("isnan has_nan anynan", "map: |x| x.is_nan(), op: any", ""),
    ("count_nan nancount", "map: |x| x.is_nan(), op: count", ""),
    ("isfinite all_finite", "map: |x| x.is_finite(), op: all", ""),
    // Operators that other libraries offer as functions.
    (
        "reduce fold foldl aggregate accumulate_op",
        "op: |a, b| a + b, identity: 0.0",
        "the operator is an example",
    ),
    ("transform_reduce mapreduce map_reduce", "map: |x| x.abs(), op: sum", "the functions are examples"),
    (
        "entropy",
        "map: |p| if p > 0.0 { -p * p.ln() } else { 0.0 }, op: sum",
        "`p` are probabilities whose sum is 1",
    ),
    ("sumexp sum_exp", "map: |x| x.exp(), op: sum", "`op: logsumexp` does not overflow"),
    ("mean_abs mean_absolute", "map: |x| x.abs(), op: mean", ""),
    ("nanminmax", "op: minmax, nan: ignore", ""),
];

const DDOF: &str = "it divides by n; to divide by n - 1, write `params: { ddof: u64 }` and give 1 for `ddof`";
const ONE: &str = "give 1 for `ddof`, as in `--param ddof=1`";

/// The cosine of the angle between two inputs.
const COSINE: &str = pair!(
    "acc: Cosine { xy: f32, xx: f32, yy: f32 }, map: |x, y| Cosine { xy: x * y, xx: x * x, yy: y * y }, \
     op: |a, b| Cosine { xy: a.xy + b.xy, xx: a.xx + b.xx, yy: a.yy + b.yy }, \
     identity: Cosine { xy: 0.0, xx: 0.0, yy: 0.0 }, finish: |c| c.xy / (c.xx * c.yy).sqrt()"
);

/// Operators whose result depends on the grouping of the operands.
pub(super) const NOT_ASSOCIATIVE: &[(&str, &str)] = &[
    ("sub subtract minus difference", "write the sum of negated values, as in `map: |x| -x, op: sum`"),
    ("div divide quotient true_divide", "reduce the divisors with `op: prod`, and divide once in `finish`"),
];

const ALL_ELEMENTS: &str = "needs all elements at once, not a state of fixed size";
const SCAN: &str = "gives one result for each element, not one for all of them";

/// Functions that need more than a state of fixed size.
pub(super) const NO_REDUCTION: &[Row] = &[
    (
        "median nanmedian percentile nanpercentile quantile nanquantile percentile_cont percentile_disc iqr mad \
         median_abs_deviation kthvalue nth_element trim_mean",
        ALL_ELEMENTS,
        "sort the elements with another library, and read the result from them",
    ),
    (
        "mode nunique unique distinct count_distinct n_unique approx_count_distinct value_counts",
        ALL_ELEMENTS,
        "for one value, count the elements that equal it, as in `map: |x| x == 1.0, op: count`",
    ),
    ("sort argsort sorted is_sorted shuffle permutation", ALL_ELEMENTS, ""),
    (
        "cumsum cumprod cummax cummin cumulative_sum cumulative_prod cumlogsumexp logcumsumexp accumulate scan prefix_sum \
         inclusive_scan exclusive_scan running_sum",
        SCAN,
        "",
    ),
    (
        "softmax log_softmax normalize zscore rank diff",
        SCAN,
        "`op: softmax_denominator` and `op: describe` reduce to the numbers it needs",
    ),
    (
        "histogram hist bincount digitize",
        "gives one number for each bin, and an accumulator holds only a few",
        "for one bin, count its elements, as in `map: |x| x >= 0.0 && x < 1.0, op: count`",
    ),
    (
        "topk top_k nlargest nsmallest partition argpartition",
        "gives many elements, and an accumulator holds only a few",
        "`op: findmax` gives the largest element and its position",
    ),
    (
        "len size length numel count_all nelements",
        "needs no elements",
        "the length of the data is known, and `finish` takes it as a second parameter: `finish: |acc, n| …`",
    ),
];
