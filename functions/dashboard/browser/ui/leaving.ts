import { useLayoutEffect } from "preact/hooks";
import { useReadOnlyReason } from "../api/session.ts";

/** What would be lost by leaving now, as questions; usually none, or one. */
const questions = new Set<{ readonly text: string }>();

/** Asks before what is shown goes away, when something would be lost with it. */
export function mayLeave(): boolean {
  const question = [...questions].at(-1);
  return question === undefined || confirm(question.text);
}

const keep = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * Has a question asked before another page is shown, the session is ended or the tab is closed (where
 * browsers have words of their own).
 * @param text undefined while nothing would be lost
 */
export function useLeaveQuestion(text: string | undefined): void {
  // Before anything else can happen: what was just saved is not asked about.
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

/** Asks before input is lost. In the demo workspace it could not be saved anyway. */
export function useUnsaved(isDirty: boolean): void {
  const readOnly = useReadOnlyReason() !== undefined;
  useLeaveQuestion(
    isDirty && !readOnly ? "What you entered is not saved. Leave without it?" : undefined,
  );
}

/** Asks while a request is in progress whose response shows a secret that would be lost. */
export const useSecretUnderWay = (isBusy: boolean): void =>
  useLeaveQuestion(
    isBusy ? "A secret that is shown only once is on its way. Leave without it?" : undefined,
  );
