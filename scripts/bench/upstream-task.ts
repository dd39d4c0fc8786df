/** One read of the bench, and what it came to. */
export interface UpstreamTask {
  readonly baseUrl: string;
  readonly ids: number;
  readonly batchIdsMax: number;
  readonly callsAtOnce: number;
  readonly callsPerSecond: number;
}

export interface UpstreamFigures {
  readonly wallMs: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
  /** Calls that the adapter made, and tries that these took. */
  readonly calls: number;
  readonly tries: number;
  readonly answered: number;
  /** The most memory that the process ever held, Node itself included. */
  readonly peakMegabytes: number;
}
