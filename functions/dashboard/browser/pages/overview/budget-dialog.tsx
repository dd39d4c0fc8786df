import { useState } from "preact/hooks";
import type { Account } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { formatCredits } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { CancelButton, Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { creditLimitIn } from "../watchlists/watchlist-settings.ts";

interface BudgetDialogProps {
  readonly account: Account;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/**
 * Asks for the daily credit budget of the account and changes it. Then calls `onClose` and
 * `onChanged`. If the call fails, shows the error and stays open.
 */
export function BudgetDialog({ account, onChanged, onClose }: BudgetDialogProps) {
  const toast = useToast();
  const [text, setText] = useState(String(account.daily_credit_budget ?? ""));
  const save = useAction((api, budget: number | string | null) =>
    api.send<Account>("PATCH", "account", { body: { daily_credit_budget: budget } }),
  );
  const submit = async (): Promise<void> => {
    const changed = await save.run(creditLimitIn(text));
    if (changed === undefined) return;
    const { daily_credit_budget: budget } = changed;
    toast(
      budget === null
        ? "The account has no daily budget now."
        : `The daily budget is ${formatCredits(budget)} now.`,
    );
    onClose();
    onChanged();
  };
  const { error } = save;
  const fieldError = error?.param === "daily_credit_budget" ? error.message : undefined;
  return (
    <Dialog title="Daily budget" busy={save.busy} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label="Credits per day"
          hint="For all calls and runs of the account on a UTC day. The service refuses a call, and defers a step of a run, that would exceed the budget. Empty: no limit."
          error={fieldError}
          optional
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        {error && fieldError === undefined && <ErrorState error={error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button type="submit" variant="primary" busy={save.busy}>
            Save budget
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
