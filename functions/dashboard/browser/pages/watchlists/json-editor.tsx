import { useRef } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { lineAt, type Place, placeInJson } from "./json-place.ts";

/** An error in a JSON text, with the position of the error or the path of the invalid value. */
type Problem =
  | { readonly message: string; readonly place: Place }
  | { readonly message: string; readonly path: string };

interface JsonEditorProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly problem: Problem | undefined;
}

/** A text area for JSON with line numbers. Marks the line of `problem` and shows its message. */
export function JsonEditor({ label, hint, text, onChange, problem }: JsonEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const place = problem && placeOf(problem, text);
  const line = place && lineAt(text, place.start);
  const goThere = (): void => {
    if (place === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(place.start, place.end);
  };
  return (
    <div class="json-editor-field">
      <Field
        label={label}
        hint={hint}
        error={problem && `Line ${line}${pathWords(problem)}: ${problem.message}`}
      >
        {(control) => (
          <div class="json-editor">
            <div class="json-gutter" ref={gutter} aria-hidden="true">
              {text.split("\n").map((_, n) => (
                <span key={n} class={n + 1 === line ? "json-line-wrong" : undefined}>
                  {n + 1}
                </span>
              ))}
            </div>
            <textarea
              {...control}
              ref={area}
              rows={Math.min(26, Math.max(10, text.split("\n").length + 1))}
              wrap="off"
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={(event) => onChange(event.currentTarget.value)}
              onScroll={(event) => {
                if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
              }}
            />
          </div>
        )}
      </Field>
      {problem && (
        <Button small onClick={goThere}>
          Go to line {line}
        </Button>
      )}
    </div>
  );
}

const placeOf = (problem: Problem, text: string): Place =>
  "place" in problem ? problem.place : placeInJson(text, problem.path);

const pathWords = (problem: Problem): string =>
  "path" in problem && problem.path !== "" ? `, ${problem.path}` : "";
