/** Why a turn shows everything after all. Closed, since it labels a metric. */
export type FallbackReason = 'rounds_exhausted' | 'unknown_call' | 'picked_again' | 'reselect_refused';
