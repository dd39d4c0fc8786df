import TinyQueue from "tinyqueue";

/** A pool of workers behind a queue. */
export interface Stage {
  readonly parallel: number;
  /** Seconds of work on one message. */
  readonly seconds: number;
}

/** The scheduler and the pools of workers through which scheduled runs pass. */
export interface Pipeline {
  /** The number of schedules that EventBridge Scheduler invokes per second. */
  readonly schedulesPerSecond: number;
  readonly starters: Stage;
  readonly readers: Stage;
  readonly finishers: Stage;
}

/** Scheduled runs, all of the same size. */
export interface Load {
  /** Due times, in seconds. */
  readonly dueAt: readonly number[];
  /** Batches of one step. They are read in parallel. */
  readonly batches: number;
  /** Steps of a run. A step starts when all batches of the step before it were read. */
  readonly steps: number;
}

export interface Simulated {
  /** Seconds from the first due time to the end of the last run. */
  readonly lastEnd: number;
  /**
   * Seconds from the due time of a run to its end: the median, the 95th percentile and the maximum.
   */
  readonly duration: { readonly p50: number; readonly p95: number; readonly max: number };
  /** The largest number of messages that waited for a worker. */
  readonly waitingMax: { readonly starts: number; readonly batches: number; readonly ends: number };
  /** The largest number of workers that ran at the same time, over all stages. */
  readonly workersMax: number;
}

interface Event {
  readonly at: number;
  readonly happen: (now: number) => void;
}

/**
 * Simulates the processing of scheduled runs in virtual time. Queues are first in, first out, each
 * task takes the mean time of its stage, and nothing fails.
 */
export function simulate(load: Load, pipeline: Pipeline): Simulated {
  const events = new TinyQueue<Event>([], (one, other) => one.at - other.at);
  const busy = { now: 0, max: 0 };
  const starters = openStage(pipeline.starters, events, busy);
  const readers = openStage(pipeline.readers, events, busy);
  const finishers = openStage(pipeline.finishers, events, busy);
  const durations: number[] = [];
  let lastEnd = 0;

  const readStep = (dueAt: number, stepsLeft: number, at: number): void => {
    let unread = load.batches;
    const onRead = (now: number): void => {
      unread -= 1;
      if (unread > 0) return;
      if (stepsLeft > 1) readStep(dueAt, stepsLeft - 1, now);
      else finishers.add(now, (end) => onEnd(dueAt, end));
    };
    for (let batch = 0; batch < load.batches; batch += 1) readers.add(at, onRead);
  };
  const onEnd = (dueAt: number, end: number): void => {
    durations.push(end - dueAt);
    lastEnd = Math.max(lastEnd, end);
  };

  let invokedAt = -Infinity;
  for (const dueAt of load.dueAt.toSorted((one, other) => one - other)) {
    invokedAt = Math.max(dueAt, invokedAt + 1 / pipeline.schedulesPerSecond);
    events.push({
      at: invokedAt,
      happen: (now) => starters.add(now, (started) => readStep(dueAt, load.steps, started)),
    });
  }
  for (let event = events.pop(); event !== undefined; event = events.pop()) event.happen(event.at);

  durations.sort((one, other) => one - other);
  const at = (part: number): number => durations[Math.ceil(durations.length * part) - 1] ?? 0;
  return {
    lastEnd: lastEnd - Math.min(...load.dueAt),
    duration: { p50: at(0.5), p95: at(0.95), max: at(1) },
    waitingMax: {
      starts: starters.waitingMax(),
      batches: readers.waitingMax(),
      ends: finishers.waitingMax(),
    },
    workersMax: busy.max,
  };
}

function openStage(
  { parallel, seconds }: Stage,
  events: TinyQueue<Event>,
  busy: { now: number; max: number },
) {
  const waiting: ((now: number) => void)[] = [];
  let [first, working, waitingMax] = [0, 0, 0];
  const work = (now: number, onDone: (now: number) => void): void => {
    working += 1;
    busy.now += 1;
    busy.max = Math.max(busy.max, busy.now);
    events.push({
      at: now + seconds,
      happen(end) {
        working -= 1;
        busy.now -= 1;
        const next = waiting[first];
        if (next !== undefined) {
          first += 1;
          work(end, next);
        }
        onDone(end);
      },
    });
  };
  return {
    add(now: number, onDone: (now: number) => void): void {
      if (working < parallel) return work(now, onDone);
      waiting.push(onDone);
      waitingMax = Math.max(waitingMax, waiting.length - first);
    },
    waitingMax: () => waitingMax,
  };
}
