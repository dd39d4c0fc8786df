import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { fieldMessage } from "../../ui/field-message.ts";

/** The service's error about a rule. */
export interface RuleProblem {
  readonly message: string;
  /**
   * The path of the invalid part in the rule, such as `where[0].value`; empty if the error is about
   * the whole rule.
   */
  readonly part: string;
}

interface MarkedPart {
  readonly part: string;
  /** The ID of the element that shows the message. */
  readonly messageId: string;
}

/**
 * The invalid part of the rule whose controls are inside the provider; undefined if the rule is
 * valid.
 */
export const MarkedPartContext = createContext<MarkedPart | undefined>(undefined);

/**
 * Attributes that mark an invalid control and connect it with its error message; empty for a valid
 * control.
 */
interface Mark {
  readonly "aria-invalid"?: "true";
  readonly "aria-describedby"?: string;
}

/**
 * Returns the attributes for the control of a part of a rule, such as `cooldown`. The attributes
 * mark the control as invalid if the error of the rule is about this part. Otherwise the result is
 * empty.
 */
export function useMark(part: string): Mark {
  const marked = useContext(MarkedPartContext);
  if (marked === undefined) return {};
  const isMarked = marked.part === part || marked.part.startsWith(`${part}.`);
  return isMarked ? { "aria-invalid": "true", "aria-describedby": marked.messageId } : {};
}

const labels: Readonly<Record<string, string>> = {
  when: "The cause",
  field: "The field",
  op: "The test",
  value: "The value",
  min_delta: "“by at least”",
  min_delta_percent: "“by at least, in percent”",
  confirm: "“in reads in a row”",
  cooldown: "“at most once every”",
  run: "The next step",
};

/**
 * Returns the error message about a rule, with the labels of the form instead of the parameter
 * names of the API.
 * @param field the label of the field that shows the error, if the field is outside the form of the
 * rule
 */
export function problemWords({ message, part }: RuleProblem, field?: string): string {
  const test = /^where\[(\d+)\]\.(\w+)/.exec(part);
  const [key = part] = (test?.[2] ?? part).split(".");
  const label = field ?? labels[key];
  const words =
    label === undefined
      ? message
      : fieldMessage(label, message).replace(
          /a number from 1e-9 to \d+/,
          "a number greater than 0, such as 5 or 2.5",
        );
  return test === null ? words : `Test ${Number(test[1]) + 1}: ${words}`;
}
