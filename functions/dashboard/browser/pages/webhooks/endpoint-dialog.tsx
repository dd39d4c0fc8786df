import { useState } from "preact/hooks";
import type { WebhookEndpoint } from "../../api/resources.ts";
import type { Action } from "../../api/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { CancelButton, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field } from "../../ui/field.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { runEventTypes } from "./event-types.ts";
import "./webhooks.css";

/** The settings of an endpoint that the user fills in. */
export interface EndpointSettings {
  readonly url: string;
  readonly description: string | null;
  /** The event types; null for all types. */
  readonly events: readonly string[] | null;
}

interface EndpointDialogProps {
  readonly title: string;
  /** The label of the submit button, such as `Create endpoint`. */
  readonly submit: string;
  /** The current endpoint; undefined for a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly action: Action<EndpointSettings, unknown>;
  readonly onSubmit: (settings: EndpointSettings) => void;
  readonly onClose: () => void;
}

const descriptionMax = 120;

/**
 * A dialog for the URL, the description and the event types of an endpoint. Calls `onSubmit` with
 * the trimmed values, and shows the error of `action`.
 */
export function EndpointDialog(props: EndpointDialogProps) {
  const { endpoint, action } = props;
  const { error } = action;
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [events, setEvents] = useState<EndpointSettings["events"]>(endpoint?.events ?? null);
  const messageFor = (param: string) => (error?.param === param ? error.message : undefined);
  const isAtField = error?.param === "url" || error?.param === "description";
  return (
    <Dialog title={props.title} busy={action.busy} onClose={props.onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const trimmed = description.trim();
          props.onSubmit({
            url: url.trim(),
            description: trimmed === "" ? null : trimmed,
            events,
          });
        }}
      >
        <Field label="URL" hint="A public HTTPS URL that accepts POST." error={messageFor("url")}>
          {(control) => (
            <input
              {...control}
              inputMode="url"
              autocomplete="off"
              spellcheck={false}
              placeholder="https://"
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Description" optional error={messageFor("description")}>
          {(control) => (
            <input
              {...control}
              autocomplete="off"
              maxLength={descriptionMax}
              value={description}
              onInput={(event) => setDescription(event.currentTarget.value)}
            />
          )}
        </Field>
        <EventChoice events={events} onChange={setEvents} />
        {error && !isAtField && <ErrorState error={error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button type="submit" variant="primary" busy={action.busy}>
            {props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface EventChoiceProps {
  readonly events: EndpointSettings["events"];
  readonly onChange: (events: EndpointSettings["events"]) => void;
}

function EventChoice({ events, onChange }: EventChoiceProps) {
  const all = runEventTypes.map(([type]) => type);
  const toggle = (type: string, checked: boolean): void => {
    const others = (events ?? all).filter((other) => other !== type);
    onChange(checked ? [...others, type] : others);
  };
  return (
    <fieldset class="event-choice">
      <legend class="field-label">Events</legend>
      <p class="field-hint">
        A watchlist that names this endpoint sends it all events, whatever you select here.
      </p>
      <label class="checkbox">
        <input
          type="radio"
          name="events"
          checked={events === null}
          onChange={() => onChange(null)}
        />
        <span>All types, including future ones</span>
      </label>
      <label class="checkbox">
        <input
          type="radio"
          name="events"
          checked={events !== null}
          onChange={() => onChange(all)}
        />
        <span>Only these</span>
      </label>
      {events !== null && (
        <div class="event-types">
          {runEventTypes.map(([type, words]) => (
            <Checkbox
              key={type}
              label={
                <>
                  <code>{type}</code>
                  <span class="muted small">{words}</span>
                </>
              }
              checked={events.includes(type)}
              onChange={(checked) => toggle(type, checked)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
