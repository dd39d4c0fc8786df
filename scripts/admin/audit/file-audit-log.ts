import { appendFile, readFile } from "node:fs/promises";
import * as v from "valibot";
import { auditLine, type AuditLog } from "./audit-log.ts";

/** Stores the audit log in a file of a local world. A missing file counts as an empty log. */
export const fileAuditLog = (file: string): AuditLog => ({
  append: (line) => appendFile(file, `${JSON.stringify(line)}\n`),
  async lines() {
    const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = content.split("\n").filter((line) => line !== "");
    return lines.map((line) => v.parse(auditLine, JSON.parse(line)));
  },
});
