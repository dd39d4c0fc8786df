import { useState } from "preact/hooks";
import type { List, Platform } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useRefusal, useSession } from "../../api/session.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { readQuery } from "../../shell/page-query.ts";
import { linkTo, replacePlace } from "../../shell/router.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlayIcon } from "../../ui/icons.tsx";
import { Loaded, Notice } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { CallAnswer } from "./call-answer.tsx";
import { CallCode } from "./call-code.tsx";
import { CallFields } from "./call-fields.tsx";
import {
  type CallId,
  type CallRequest,
  type Draft,
  callIds,
  calls,
  completed,
  emptyDraft,
  idsIn,
  isCallId,
  isForDemo,
  isItemCall,
  offersIn,
  requestOf,
} from "./calls.ts";
import { priceNote } from "./price.ts";
import { refusalOf, useCall } from "./use-call.ts";
import "./try.css";

/** The reason why item calls are disabled in the demo workspace, which has no credits to spend. */
const demoReason =
  "The demo key cannot spend credits. Sign in with your own key to send this call.";
const demoNote =
  "The demo key reads items of the sandbox, free of charge: B0SANDBOX0 to B0SANDBOX8 on Retailer A, 9000000 to 9000008 elsewhere.";

/**
 * The page that sends a call with the user's key and shows its response and its code. The query
 * parameter `call` names the call; the default is `products`.
 */
export function TryPage({ query }: PageProps) {
  const { values, ignored } = readQuery(query, { call: callIds });
  const { call: named = "" } = values;
  const call = isCallId(named) ? named : "products";
  const platforms = useQuery((api, signal) => api.get<List<Platform>>("platforms", { signal }), []);
  const calling = useCall();
  const [typed, setTyped] = useState(emptyDraft);
  return (
    <Page title="Try it" lead="Send a call with your key and see the response.">
      <IgnoredParts parts={ignored} />
      <Tabs
        label="Call"
        tabs={callIds.map((name) => ({ name, label: calls[name].label }))}
        current={call}
        onChange={(name) => replacePlace(linkTo("/try", { call: name }))}
      >
        <Loaded query={platforms}>
          {({ data }) => (
            <Workbench
              call={call}
              draft={completed(typed, call, data)}
              platforms={data}
              calling={calling}
              onChange={(change) => setTyped({ ...completed(typed, call, data), ...change })}
            />
          )}
        </Loaded>
      </Tabs>
    </Page>
  );
}

interface WorkbenchProps {
  readonly call: CallId;
  readonly draft: Draft;
  readonly platforms: readonly Platform[];
  readonly calling: ReturnType<typeof useCall>;
  readonly onChange: (change: Partial<Draft>) => void;
}

function Workbench({ call, draft, platforms, calling, onChange }: WorkbenchProps) {
  const { demo } = useSession();
  const request = requestOf(call, draft, demo);
  return (
    <div class="try">
      <RequestForm
        key={call}
        {...{ call, draft, platforms, onChange, request }}
        busy={calling.busy}
        refusal={refusalOf(calling.sent, request)}
        onSend={() => calling.send(request)}
      />
      <CallAnswer sent={calling.sent} />
      <CallCode request={request} />
    </div>
  );
}

interface RequestFormProps extends Omit<WorkbenchProps, "calling"> {
  readonly request: CallRequest;
  readonly busy: boolean;
  /** The service's error about the text in the form; undefined if there is none. */
  readonly refusal: string | undefined;
  readonly onSend: () => void;
}

function RequestForm(props: RequestFormProps) {
  const { call, draft, platforms, request, busy, refusal: refused, onChange, onSend } = props;
  const { demo } = useSession();
  const refusal = useRefusal(["spend"]);
  const [error, setError] = useState<string>();
  const { about } = calls[call];
  const { method, path } = request;
  const isPaid = isItemCall(call) && !demo;
  const blocked = demo && !isForDemo(call) ? demoReason : isPaid ? refusal : undefined;
  const price = demo
    ? "Free."
    : priceNote(
        call,
        draft,
        platforms.find(({ id }) => id === draft.platform),
      );
  return (
    <div class="try-form">
      <Card title="Request" actions={<code class="muted">{`${method} /v1/${path}`}</code>}>
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            const problem = problemOf(call, draft);
            setError(problem);
            if (problem === undefined) onSend();
          }}
        >
          <p class="muted">{about}</p>
          <CallFields
            {...{ call, draft, platforms, error: error ?? refused }}
            onChange={(change) => {
              setError(undefined);
              onChange(change);
            }}
          />
          {blocked !== undefined && <Notice tone="info">{blocked}</Notice>}
          {demo && call === "products" && <Notice tone="info">{demoNote}</Notice>}
          <div class="row try-send">
            <Button type="submit" variant="primary" busy={busy} disabledReason={blocked}>
              <PlayIcon />
              Send
            </Button>
            <span class="muted small">{price}</span>
          </div>
        </form>
      </Card>
    </div>
  );
}

/**
 * Returns an error of the draft that would keep the call from being sent; undefined if the call can
 * be sent. The service reports all other errors.
 */
function problemOf(call: CallId, draft: Draft): string | undefined {
  if (call === "products" || call === "offers") {
    return idsIn(draft.ids).length === 0 ? "Enter at least one ID." : undefined;
  }
  if (call !== "offer_check") return undefined;
  const offers = offersIn(draft.offers);
  const short = offers.findIndex(({ offerListingId }) => offerListingId === "");
  if (offers.length === 0) return "Enter at least one offer.";
  return short === -1
    ? undefined
    : `Offer ${short + 1} has no offerListingId. Add it after the item ID.`;
}
