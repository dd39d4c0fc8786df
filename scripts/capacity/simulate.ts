import TinyQueue from "tinyqueue";

/** A pool of workers behind a queue. */
export interface Stage {
  /** The maximum number of workers at the same time. */
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

/** Scheduled runs of one account or of many accounts, all of the same size. */
export interface Load {
  /** Due times, in seconds. */
  readonly dueAt: readonly number[];
  /** The number of batches of one step. The batches are read in parallel. */
  readonly batches: number;
  /**
   * The number of steps of a run. A step starts when all batches of the previous step are read.
   */
  readonly steps: number;
}

/** The result of a simulation. */
export interface Simulated {
  /** Seconds from the first due time to the end of the last run. */
  readonly lastEnd: number;
  /**
   * Seconds from the due time of a run to its end: the median, the 95th percentile and the maximum.
   */
  readonly duration: { readonly p50: number; readonly p95: number; readonly max: number };
  /** The largest number of messages that waited for a worker. */
  readonly waitingMax: { readonly starts: number; readonly batches: number; readonly ends: number };
  /** The largest total number of starters, step workers and finishers that ran at the same time. */
  readonly workersMax: number;
}

interface Event {
  readonly at: number;
  readonly happen: (now: number) => void;
}

/**
 * Simulates the processing of scheduled runs in virtual time. Every message takes the mean time of
 * its kind of worker, and nothing fails. Each queue is fair, as SQS is between message groups: of
 * the loads with waiting messages, it serves the load with the fewest messages in progress.
 * @param load The runs to measure.
 * @param pipeline The workers that process the runs.
 * @param other Runs of another account at the same time. They count in `waitingMax` and
 * `workersMax`, but not in `lastEnd` and `duration`.
 */
export function simulate(load: Load, pipeline: Pipeline, other?: Load): Simulated {
  const events = new TinyQueue<Event>([], (one, next) => one.at - next.at);
  const busy = { now: 0, max: 0 };
  const starters = openStage(pipeline.starters, events, busy);
  const readers = openStage(pipeline.readers, events, busy);
  const finishers = openStage(pipeline.finishers, events, busy);
  const durations: number[] = [];
  let lastEnd = 0;

  const readStep = (run: Run, stepsLeft: number, at: number): void => {
    const { of } = run;
    let unread = of.batches;
    const onRead = (now: number): void => {
      unread -= 1;
      if (unread > 0) return;
      if (stepsLeft > 1) readStep(run, stepsLeft - 1, now);
      else finishers.add(now, { of, onDone: (end) => onEnd(run, end) });
    };
    for (let batch = 0; batch < of.batches; batch += 1) readers.add(at, { of, onDone: onRead });
  };
  const onEnd = ({ of, dueAt }: Run, end: number): void => {
    if (of !== load) return;
    durations.push(end - dueAt);
    lastEnd = Math.max(lastEnd, end);
  };

  let invokedAt = -Infinity;
  const runs = [load, ...(other === undefined ? [] : [other])].flatMap((of) =>
    of.dueAt.map((dueAt): Run => ({ of, dueAt })),
  );
  for (const run of runs.toSorted((one, next) => one.dueAt - next.dueAt)) {
    const { of, dueAt } = run;
    invokedAt = Math.max(dueAt, invokedAt + 1 / pipeline.schedulesPerSecond);
    events.push({
      at: invokedAt,
      happen: (now) =>
        starters.add(now, { of, onDone: (started) => readStep(run, of.steps, started) }),
    });
  }
  for (let event = events.pop(); event !== undefined; event = events.pop()) event.happen(event.at);

  durations.sort((one, next) => one - next);
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

/** A run of a load. */
interface Run {
  readonly of: Load;
  readonly dueAt: number;
}

/** A queue message that a run of a load caused. */
interface Message {
  readonly of: Load;
  readonly onDone: (now: number) => void;
}

/**
 * The messages of one load for one kind of worker. In `waiting`, the messages before the index
 * `first` were already delivered. `inWork` is the number of messages in progress.
 */
interface LoadMessages {
  readonly waiting: Message[];
  first: number;
  inWork: number;
}

function openStage(
  { parallel, seconds }: Stage,
  events: TinyQueue<Event>,
  busy: { now: number; max: number },
) {
  const byLoad = new Map<Load, LoadMessages>();
  let [working, waiting, waitingMax] = [0, 0, 0];
  const messagesOf = (of: Load): LoadMessages => {
    const messages = byLoad.get(of) ?? { waiting: [], first: 0, inWork: 0 };
    byLoad.set(of, messages);
    return messages;
  };
  const takeNext = (): Message | undefined => {
    const [messages] = [...byLoad.values()]
      .filter((one) => one.first < one.waiting.length)
      .toSorted((one, next) => one.inWork - next.inWork);
    if (messages === undefined) return undefined;
    waiting -= 1;
    messages.first += 1;
    return messages.waiting[messages.first - 1];
  };
  const work = (now: number, { of, onDone }: Message): void => {
    const messages = messagesOf(of);
    messages.inWork += 1;
    working += 1;
    busy.now += 1;
    busy.max = Math.max(busy.max, busy.now);
    events.push({
      at: now + seconds,
      happen(end) {
        messages.inWork -= 1;
        working -= 1;
        busy.now -= 1;
        const next = takeNext();
        if (next !== undefined) work(end, next);
        onDone(end);
      },
    });
  };
  return {
    add(now: number, message: Message): void {
      if (working < parallel) return work(now, message);
      messagesOf(message.of).waiting.push(message);
      waiting += 1;
      waitingMax = Math.max(waitingMax, waiting);
    },
    waitingMax: () => waitingMax,
  };
}
