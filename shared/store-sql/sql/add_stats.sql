-- Adds to what rows count, in the order of their key. Index: the key.
-- $1 the rows
INSERT INTO stat (
  step, tenant, workflow, at, queue, tier, enqueued, claimed, completed, failed, dead_lettered, run_ms, wait_0,
  wait_1, wait_2, wait_3, wait_4, wait_5, wait_6, wait_7, wait_8, wait_9, wait_10, wait_11, wait_12, wait_13,
  wait_14, wait_15, wait_16, wait_17, run_0, run_1, run_2, run_3, run_4, run_5, run_6, run_7, run_8, run_9, run_10,
  run_11, run_12, run_13, run_14, run_15, run_16, run_17
)
SELECT
  r.step, r.tenant, r.workflow, r.at, r.queue, r.tier, r.enqueued, r.claimed, r.completed, r.failed, r.dead_lettered,
  r.run_ms, r.wait_0, r.wait_1, r.wait_2, r.wait_3, r.wait_4, r.wait_5, r.wait_6, r.wait_7, r.wait_8, r.wait_9,
  r.wait_10, r.wait_11, r.wait_12, r.wait_13, r.wait_14, r.wait_15, r.wait_16, r.wait_17, r.run_0, r.run_1, r.run_2,
  r.run_3, r.run_4, r.run_5, r.run_6, r.run_7, r.run_8, r.run_9, r.run_10, r.run_11, r.run_12, r.run_13, r.run_14,
  r.run_15, r.run_16, r.run_17
FROM {rows $1: step int, tenant text, workflow text, at bigint, queue int, tier int, enqueued bigint, claimed bigint,
  completed bigint, failed bigint, dead_lettered bigint, run_ms bigint, wait_0 bigint, wait_1 bigint, wait_2 bigint,
  wait_3 bigint, wait_4 bigint, wait_5 bigint, wait_6 bigint, wait_7 bigint, wait_8 bigint, wait_9 bigint,
  wait_10 bigint, wait_11 bigint, wait_12 bigint, wait_13 bigint, wait_14 bigint, wait_15 bigint, wait_16 bigint,
  wait_17 bigint, run_0 bigint, run_1 bigint, run_2 bigint, run_3 bigint, run_4 bigint, run_5 bigint, run_6 bigint,
  run_7 bigint, run_8 bigint, run_9 bigint, run_10 bigint, run_11 bigint, run_12 bigint, run_13 bigint,
  run_14 bigint, run_15 bigint, run_16 bigint, run_17 bigint} r
WHERE true ORDER BY r.step, r.tenant, r.workflow, r.at, r.queue, r.tier
ON CONFLICT (step, tenant, workflow, at, queue, tier) DO UPDATE SET
  enqueued = stat.enqueued + excluded.enqueued, claimed = stat.claimed + excluded.claimed,
  completed = stat.completed + excluded.completed, failed = stat.failed + excluded.failed,
  dead_lettered = stat.dead_lettered + excluded.dead_lettered, run_ms = stat.run_ms + excluded.run_ms,
  wait_0 = stat.wait_0 + excluded.wait_0, wait_1 = stat.wait_1 + excluded.wait_1,
  wait_2 = stat.wait_2 + excluded.wait_2, wait_3 = stat.wait_3 + excluded.wait_3,
  wait_4 = stat.wait_4 + excluded.wait_4, wait_5 = stat.wait_5 + excluded.wait_5,
  wait_6 = stat.wait_6 + excluded.wait_6, wait_7 = stat.wait_7 + excluded.wait_7,
  wait_8 = stat.wait_8 + excluded.wait_8, wait_9 = stat.wait_9 + excluded.wait_9,
  wait_10 = stat.wait_10 + excluded.wait_10, wait_11 = stat.wait_11 + excluded.wait_11,
  wait_12 = stat.wait_12 + excluded.wait_12, wait_13 = stat.wait_13 + excluded.wait_13,
  wait_14 = stat.wait_14 + excluded.wait_14, wait_15 = stat.wait_15 + excluded.wait_15,
  wait_16 = stat.wait_16 + excluded.wait_16, wait_17 = stat.wait_17 + excluded.wait_17,
  run_0 = stat.run_0 + excluded.run_0, run_1 = stat.run_1 + excluded.run_1, run_2 = stat.run_2 + excluded.run_2,
  run_3 = stat.run_3 + excluded.run_3, run_4 = stat.run_4 + excluded.run_4, run_5 = stat.run_5 + excluded.run_5,
  run_6 = stat.run_6 + excluded.run_6, run_7 = stat.run_7 + excluded.run_7, run_8 = stat.run_8 + excluded.run_8,
  run_9 = stat.run_9 + excluded.run_9, run_10 = stat.run_10 + excluded.run_10,
  run_11 = stat.run_11 + excluded.run_11, run_12 = stat.run_12 + excluded.run_12,
  run_13 = stat.run_13 + excluded.run_13, run_14 = stat.run_14 + excluded.run_14,
  run_15 = stat.run_15 + excluded.run_15, run_16 = stat.run_16 + excluded.run_16,
  run_17 = stat.run_17 + excluded.run_17
