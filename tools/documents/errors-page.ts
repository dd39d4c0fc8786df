import { errorBody, type ErrorGuide, errorGuide } from "./error-guide.ts";

const introduction = `# Errors

This page is for engineers whose call failed. Branch on \`code\`; \`message\` can be reworded. \`param\` names the parameter
at fault. [The API guide](api-guide.md#errors) lists which error a call with several errors returns.

An item that could not be read is not an error: it is \`unavailable\` in a 200, and the service refunds it.`;

function retryAdvice(retry: ErrorGuide["retry"]): string {
  if (typeof retry === "string") return retry;
  return retry ? "yes, with exponential backoff" : "no; change the request first";
}

const entry = ([code, { status, meaning, remedy, retry, example }]: [string, ErrorGuide]): string =>
  [
    `## ${code}`,
    `**HTTP ${status}.** ${meaning}`,
    `**What to do:** ${remedy}`,
    `**Retry:** ${retryAdvice(retry)}.`,
    `\`\`\`json\n${JSON.stringify(errorBody(example), null, 2)}\n\`\`\``,
  ].join("\n\n");

/** The content of `docs/errors.md`, with an entry for each error code. */
export const errorsPage = `${[introduction, ...Object.entries(errorGuide).map(entry)].join("\n\n")}\n`;
