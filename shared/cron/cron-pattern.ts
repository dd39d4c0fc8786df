/** Maximum length of an expression, in characters. A list of all 60 minutes has 170. */
export const cronLengthMax = 256;

const macros = "@(?:hourly|daily|weekly|monthly|yearly)";

/**
 * Returns the pattern of a field: values, ranges and steps, separated by commas. `value` is the
 * pattern of one value.
 */
function fieldPattern(value: string): string {
  const element = `(?:\\*(?:/[0-9]+)?|${value}(?:-${value}(?:/[0-9]+)?)?)`;
  return `${element}(?:,${element})*`;
}

const fields = [
  fieldPattern("[0-5]?[0-9]"),
  fieldPattern("(?:[01]?[0-9]|2[0-3])"),
  fieldPattern("(?:0?[1-9]|[12][0-9]|3[01])"),
  fieldPattern("(?:0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)"),
  fieldPattern("(?:[0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)"),
];

/**
 * Pattern of a cron expression for the OpenAPI document. It also matches some invalid expressions,
 * which only the parser refuses: descending ranges, steps that are too large, times that are too
 * close together, and dates that do not exist.
 */
export const cronPattern = `^(?:${macros}|${fields.join(" +")})$`;
