import { randomUUID } from "node:crypto";
import type { Clock } from "../../../shared/base/clock.ts";
import { commandOptions, type Values } from "../command.ts";
import type { AuditLine, AuditLog } from "./audit-log.ts";

/** A change, and the audit log that records it. */
export interface Audited {
  readonly log: AuditLog;
  readonly operator: string;
  readonly role: string;
  readonly command: string;
  readonly values: Values;
  readonly clock: Clock;
  /** Prints a warning if the outcome of the change could not be stored. */
  readonly warn: (line: string) => void;
  /** Returns the exit code of the command after the change. */
  readonly exitCode: () => number;
}

type ResultFields = Pick<AuditLine, "result" | "error" | "exit_code" | "created">;

/**
 * Options with personal data, which the log must not contain. The log may contain all other
 * options, because none is a secret.
 */
const personal: ReadonlySet<string> = new Set(["email", "name", "receiver"]);

/**
 * Makes a change and returns its result. Stores one audit line before the change, and another line
 * with the outcome afterward. Warns if the second line cannot be stored.
 * @throws The error of the change.
 * @throws The error of storing the first line. The change is then not made.
 */
export async function withAuditLines(
  { log, clock, warn, values, exitCode, ...fixed }: Audited,
  change: () => Promise<unknown>,
): Promise<unknown> {
  const given = { id: randomUUID(), ...fixed, options: optionsOf(values) };
  const append = (line: ResultFields): Promise<void> =>
    log.append({ ...given, at: clock.now().toISOString(), ...line });
  const appendResult = (line: ResultFields): Promise<void> =>
    append(line).catch((error: unknown) => {
      warn(
        `The change has ended, but its result could not be written to the audit log: ${String(error)}. Do not repeat the change because of this.`,
      );
    });
  await append({ result: "started" });
  try {
    const result = await change();
    await appendResult({ result: "done", exit_code: exitCode(), ...createdBy(result) });
    return result;
  } catch (error) {
    await appendResult({ result: "failed", error: String(error) });
    throw error;
  }
}

function optionsOf(values: Values): AuditLine["options"] {
  const keptOptions = Object.entries(values).filter(
    ([name]) => Object.hasOwn(commandOptions, name) && !personal.has(name),
  );
  return Object.fromEntries(
    keptOptions.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Returns the ID of the resource that a change created or changed, if the result of the change has
 * an ID.
 */
function createdBy(result: unknown): Pick<AuditLine, "created"> {
  if (typeof result !== "object" || result === null || !("id" in result)) return {};
  return typeof result.id === "string" ? { created: result.id } : {};
}
