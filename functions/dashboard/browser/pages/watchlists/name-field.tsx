import type { ApiError } from "../../api/api-error.ts";
import { Field } from "../../ui/field.tsx";
import { isLimit, isSetting } from "./watchlist-settings.ts";

interface NameFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: ApiError | undefined;
}

/** A field for the name of a watchlist. Shows `error` only if its parameter is `name`. */
export function NameField({ value, onChange, error }: NameFieldProps) {
  return (
    <Field label="Name" error={error?.param === "name" ? error.message : undefined}>
      {(control) => (
        <input
          {...control}
          autocomplete="off"
          maxLength={100}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

const fieldParams = /^(name|ids|platform|marketplace|webhook_|pipeline|every$|cron|timezone)/;

/** Returns true if the watchlist form shows this error at one of its fields. */
export const isAtField = ({ param = "" }: ApiError): boolean =>
  fieldParams.test(param) || isSetting(param) || isLimit(param);
