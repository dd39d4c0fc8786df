/** Operators' tool: `npm run admin` says what it can do. */
import { runAdmin } from "./admin/main.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
