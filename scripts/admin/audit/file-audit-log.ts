import { appendFile, readFile } from "node:fs/promises";
import { type AuditLog, parseLines } from "./audit-log.ts";

/**
 * Returns the audit log in a file of a local world. A missing file counts as an empty log. Other
 * errors of the file system are thrown.
 */
export const fileAuditLog = (file: string): AuditLog => ({
  append: (line) => appendFile(file, `${JSON.stringify(line)}\n`),
  async lines(warn) {
    const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return parseLines(
      content.split("\n").filter((line) => line !== ""),
      warn,
    );
  },
});
