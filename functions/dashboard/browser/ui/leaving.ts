import { useLayoutEffect } from "preact/hooks";
import { type Scope, useRefusal } from "../api/session.ts";

/** The questions to ask before the user leaves the page. Usually there is none or one. */
const questions = new Set<{ readonly text: string }>();

/**
 * Returns true if the page may be left. If a component has set a question with `useLeaveQuestion`,
 * asks the user and returns the answer. If several components have set one, asks only the newest
 * question.
 */
export function mayLeave(): boolean {
  const question = [...questions].at(-1);
  return question === undefined || confirm(question.text);
}

const keep = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * Asks the user a question before another page is shown, the session ends or the tab is closed.
 * When a tab is closed, browsers show their own text instead.
 * @param text the question; undefined while nothing would be lost
 */
export function useLeaveQuestion(text: string | undefined): void {
  // A layout effect removes the question immediately. Otherwise, the question would still be asked
  // just after a save.
  useLayoutEffect(() => {
    if (text === undefined) return undefined;
    const question = { text };
    questions.add(question);
    addEventListener("beforeunload", keep);
    return () => {
      questions.delete(question);
      if (questions.size === 0) removeEventListener("beforeunload", keep);
    };
  }, [text]);
}

/**
 * Asks the user before leaving the page while it has unsaved input (`isDirty`). Never asks if
 * the user's key cannot save the input.
 * @param needed the scopes that the save needs
 */
export function useUnsaved(isDirty: boolean, needed: readonly Scope[]): void {
  const readOnly = useRefusal(needed) !== undefined;
  useLeaveQuestion(
    isDirty && !readOnly ? "You have unsaved changes. Leave without saving?" : undefined,
  );
}

/**
 * Asks the user before leaving the page while a request for a new secret is in progress. Only the
 * response to this request contains the secret.
 */
export const useSecretLeaveQuestion = (isBusy: boolean): void =>
  useLeaveQuestion(
    isBusy
      ? "A new secret is about to appear. It is shown only once. Leave without it?"
      : undefined,
  );
