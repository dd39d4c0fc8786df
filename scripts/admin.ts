/** The operators' command: `npm run admin` lists its commands. */
import { runAdmin } from "./admin/main.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
