import type {
  Progress,
  RestoreCloud,
  TableSettings,
} from "../../../../scripts/admin/restore/restore-cloud.ts";

interface MemoryTable {
  readonly id: string;
  /** The contents of the table, each with the time from which it is valid, oldest first. */
  readonly contents: { readonly since: string; readonly content: string }[];
  settings: TableSettings;
  /** The number of requests for the table's state that still find the change incomplete. */
  pending: number;
  isDeleting: boolean;
}

interface MemoryBackup {
  readonly table: string;
  readonly name: string;
  readonly content: string;
  pending: number;
}

/** The settings of a table that DynamoDB has just restored. */
const restored: TableSettings = {
  timeToLive: null,
  pointInTimeRecovery: false,
  deletionProtection: false,
  tags: {},
};
/**
 * The number of reads after a request that still find the creation or deletion of a table, or the
 * creation of a backup, in progress.
 */
const delay = 2;

/**
 * The AWS account of a stage, in memory. Refuses the requests that AWS refuses. `requests` lists
 * each request that changes something. `failAfter` makes a request fail after it has taken effect.
 */
export class MemoryRestoreCloud implements RestoreCloud {
  readonly tables = new Map<string, MemoryTable>();
  readonly backups = new Map<string, MemoryBackup>();
  readonly requests: string[] = [];
  service: "CREATE_COMPLETE" | "DELETE_IN_PROGRESS" | "DELETE_FAILED" | undefined = undefined;
  drifted: string[] = [];
  stored: string | undefined = undefined;
  /** The number of changes that succeed. The next change takes effect, but its request fails. */
  failAfter = Number.POSITIVE_INFINITY;
  #created = 0;

  /** Creates a table with rows. */
  addTable(name: string, content: string, settings: TableSettings): void {
    const contents = [{ since: "2000-01-01T00:00:00Z", content }];
    this.tables.set(name, { id: this.#newId(), contents, settings, pending: 0, isDeleting: false });
  }

  /** Replaces the rows of a table from the time `since` on. */
  write(name: string, since: string, content: string): void {
    this.#existing(name).contents.push({ since, content });
  }

  contentOf(name: string): string | undefined {
    return this.tables.get(name)?.contents.at(-1)?.content;
  }

  async table(name: string): ReturnType<RestoreCloud["table"]> {
    const found = this.tables.get(name);
    if (found === undefined) return undefined;
    const isActive = found.pending === 0;
    if (!isActive) {
      found.pending -= 1;
      if (found.pending === 0 && found.isDeleting) this.tables.delete(name);
    }
    return { id: found.id, isActive };
  }

  async settingsOf(table: string): Promise<TableSettings> {
    return this.#existing(table).settings;
  }

  async applySettings(table: string, settings: TableSettings): Promise<void> {
    this.#active(table).settings = settings;
    this.#changed(`applySettings ${table}`);
  }

  async restoreToTime(table: string, target: string, at: string): Promise<void> {
    const { contents, settings } = this.#active(table);
    if (!settings.pointInTimeRecovery) throw new Error("PointInTimeRecoveryUnavailable");
    const { content } = contents.findLast(({ since }) => since <= at) ?? { content: "" };
    this.#create(target, content);
    this.#changed(`restoreToTime ${table} ${target}`);
  }

  async restoreFromBackup(backup: string, target: string): Promise<void> {
    const found = this.backups.get(backup);
    if (found === undefined || found.pending > 0) throw new Error(`BackupInUse: ${backup}`);
    this.#create(target, found.content);
    this.#changed(`restoreFromBackup ${target}`);
  }

  async createBackup(table: string, name: string): Promise<void> {
    const content = this.#active(table).contents.at(-1)?.content ?? "";
    this.backups.set(this.#newId(), { table, name, content, pending: delay });
    this.#changed(`createBackup ${table}`);
  }

  async backup(table: string, name: string): ReturnType<RestoreCloud["backup"]> {
    const found = [...this.backups].find(([, one]) => one.table === table && one.name === name);
    if (found === undefined) return undefined;
    const [id, backup] = found;
    const isAvailable = backup.pending === 0;
    if (!isAvailable) backup.pending -= 1;
    return { id, isAvailable };
  }

  async deleteBackup(backup: string): Promise<void> {
    if (!this.backups.delete(backup)) throw new Error(`BackupNotFound: ${backup}`);
    this.#changed("deleteBackup");
  }

  async deleteTable(name: string): Promise<void> {
    const table = this.#active(name);
    if (table.settings.deletionProtection) {
      table.settings = { ...table.settings, deletionProtection: false };
      this.#changed(`unprotect ${name}`);
    } else {
      Object.assign(table, { isDeleting: true, pending: delay });
      this.#changed(`deleteTable ${name}`);
    }
  }

  async serviceStatus(): Promise<string | undefined> {
    const status = this.service;
    if (status === "DELETE_IN_PROGRESS") this.service = undefined;
    return status;
  }

  async deleteService(): Promise<void> {
    if (this.service !== undefined) this.service = "DELETE_IN_PROGRESS";
    this.#changed("deleteService");
  }

  async drift(): Promise<readonly string[]> {
    return this.drifted;
  }

  async progress(): Promise<Progress | undefined> {
    return this.stored === undefined ? undefined : (JSON.parse(this.stored) as Progress);
  }

  async saveProgress(progress: Progress): Promise<void> {
    this.stored = JSON.stringify(progress);
    this.#changed("saveProgress");
  }

  async deleteProgress(): Promise<void> {
    this.stored = undefined;
    this.#changed("deleteProgress");
  }

  #create(name: string, content: string): void {
    if (this.tables.has(name)) throw new Error(`TableAlreadyExists: ${name}`);
    this.addTable(name, content, restored);
    this.#existing(name).pending = delay;
  }

  #existing(name: string): MemoryTable {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`ResourceNotFound: ${name}`);
    return table;
  }

  #active(name: string): MemoryTable {
    const table = this.#existing(name);
    if (table.pending > 0) throw new Error(`ResourceInUse: ${name}`);
    return table;
  }

  #newId(): string {
    this.#created += 1;
    return `id-${this.#created}`;
  }

  #changed(request: string): void {
    this.requests.push(request);
    if (this.requests.length > this.failAfter) {
      this.failAfter = Number.POSITIVE_INFINITY;
      throw new Error(`connection lost after ${request}`);
    }
  }
}
