import type { Command, Commands } from "./command.ts";

const width = 96;

/** Formats the usage of all commands, with the options that all of them accept. */
export function usageOf(commands: Commands): string {
  const all = Object.entries(commands).map(([name, command]) => commandUsage(name, command));
  return `npm run admin -- <command> [options]

${all.join("\n")}

Where it works:
  the local world that runs on LOCAL_DIR (default .local), or with
  --stage dev|prod [--region <region>]   a deployed stage, by the outputs of its stacks; credentials
                                         as the AWS SDK finds them, AWS_ENDPOINT_URL as it is set.
A change of prod is shown first and has to be confirmed: by typing prod, or with --yes.

You choose the --id of a change, such as the number of an invoice: repeating it changes nothing.
Results are JSON; at a terminal they are text, and JSON with --json.
Exit codes: 0 success, 1 failure, 2 reconcile found differences.

Examples:
  npm run admin -- create-account --name Acme --email ops@acme.example
  npm run admin -- accounts --stage prod --region us-east-1 --json
  npm run admin -- credits --help
`;
}

/** Returns the help of one command, with an example. */
export const commandHelp = (name: string, command: Command): string =>
  `npm run admin -- <command> [options]

${commandUsage(name, command)}

Options of every command: --stage <dev|prod>, --region <region>, --yes, --json, --help

Example:
  ${`npm run admin -- ${name} ${command.example}`.trimEnd()}`;

/** Returns the usage of one command. */
const commandUsage = (name: string, { usage, about }: Command): string =>
  `  ${`${name} ${usage}`.trimEnd()}\n${wrapped(about)}`;

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line.length + word.length >= width - 6) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `      ${one}`).join("\n");
}
