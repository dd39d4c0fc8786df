/**
 * Runs an operator's command: `npm run admin -- <command>`. Without a command, it lists all
 * commands.
 */
import { runAdmin } from "./admin/main.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
