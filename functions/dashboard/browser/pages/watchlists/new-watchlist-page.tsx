import { useMemo, useRef, useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { List, Platform, Scrapers, Watchlist } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { useUnsaved } from "../../ui/leaving.ts";
import { linkTo, useNavigate } from "../../shell/router.ts";
import { Page } from "../../shell/page.tsx";
import { LinkButton, WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Name } from "../../ui/name.tsx";
import { ErrorState, Loaded } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EndpointField, useEndpoints } from "./endpoint-field.tsx";
import { EstimateCard } from "./estimate-card.tsx";
import { foundIn, idsProblem, IdsForm, itemsMax, noIds } from "./ids-form.tsx";
import { limitFieldsOf, newLimits, newSettings, settingFields } from "./watchlist-settings.ts";
import { isAtField, NameField } from "./name-field.tsx";
import { newPipeline, pipelineOf } from "./pipeline-draft.ts";
import { type Shop, useEstimate, useScrapers } from "./pipeline-form.tsx";
import { PlanCards } from "./plan-cards.tsx";
import { newSchedule, scheduleFieldsOf } from "./schedule-draft.ts";
import { useSchedulePreview } from "./schedule-form.tsx";
import { ShopFields } from "./shop-fields.tsx";
import "./watchlists.css";

/** The page with the form that creates a watchlist. */
export function NewWatchlistPage() {
  const platforms = useQuery((api, signal) => api.get<List<Platform>>("platforms", { signal }), []);
  return (
    <Page
      title="New watchlist"
      lead="The service reads the items on a schedule and reports changes."
      back={{ href: "#/watchlists", label: "Watchlists" }}
    >
      <Loaded query={platforms}>
        {({ data }) => <NewWatchlist platforms={data.filter(({ status }) => status === "live")} />}
      </Loaded>
    </Page>
  );
}

/** The initial values of the form. */
const emptyDraft = {
  name: "",
  ids: noIds,
  pipeline: newPipeline,
  endpoint: null as string | null,
  limits: newLimits,
  ...newSettings,
};

function useDraft(platforms: readonly Platform[]) {
  const [draft, setDraft] = useState(() => ({ ...emptyDraft, schedule: newSchedule() }));
  const [untouched] = useState(draft);
  const [shop, setShop] = useState<Shop>(() => ({
    platform: platforms[0]?.id ?? "",
    marketplace: platforms[0]?.default_marketplace ?? "",
  }));
  const platform = platforms.find(({ id }) => id === shop.platform);
  const found = useMemo(() => foundIn(draft.ids, platform), [draft.ids, platform]);
  return {
    draft,
    shop,
    platform,
    found,
    isDirty: useMemo(() => JSON.stringify(draft) !== JSON.stringify(untouched), [draft, untouched]),
    change: (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part })),
    changeShop: (chosen: Shop) => {
      // Templates and steps belong to a platform, so another platform needs a new pipeline.
      if (chosen.platform !== shop.platform) {
        setDraft((before) => ({ ...before, pipeline: newPipeline }));
      }
      setShop(chosen);
    },
  };
}

type Draft = ReturnType<typeof useDraft>;

function NewWatchlist({ platforms }: { readonly platforms: readonly Platform[] }) {
  const about = useDraft(platforms);
  useUnsaved(about.isDirty, ["write", "spend"]);
  const { draft, shop, found, platform, change } = about;
  const scrapers = useScrapers(shop);
  const preview = useSchedulePreview(draft.schedule);
  const estimate = useEstimate({
    subject: { ...shop, items: Math.min(found.ids.length, itemsMax) },
    schedule: preview.data?.schedule,
    draft: draft.pipeline,
    scrapers: scrapers.data,
    settings: draft,
    limits: draft.limits,
  });
  const { create, submit, idsError } = useCreation(about, scrapers.data);
  const { error } = create;
  return (
    <form
      class="page-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Card title="Items">
        <NameField value={draft.name} onChange={(name) => change({ name })} error={error} />
        <ShopFields platforms={platforms} shop={shop} onChange={about.changeShop} error={error} />
        <IdsForm
          label="Item IDs"
          platform={platform}
          draft={draft.ids}
          found={found}
          onChange={(ids) => change({ ids })}
          error={idsError ?? idsRefusal(error)}
        />
      </Card>
      <PlanCards
        draft={draft}
        change={change}
        preview={preview}
        intervalHint="Counted from now. A new watchlist also starts a run immediately."
        scrapers={scrapers}
        estimate={estimate}
        error={error}
      />
      <Delivery url={draft.endpoint} onChange={(endpoint) => change({ endpoint })} error={error} />
      <EstimateCard estimate={estimate.data} items={found.ids.length} />
      {error && !isAtField(error) && <ErrorState error={error} />}
      <div class="row">
        <WriteButton spends type="submit" variant="primary" busy={create.busy}>
          Create watchlist
        </WriteButton>
        <LinkButton href="#/watchlists">Cancel</LinkButton>
      </div>
    </form>
  );
}

type DeliveryProps = Omit<Parameters<typeof EndpointField>[0], "endpoints">;

function Delivery(props: DeliveryProps) {
  const endpoints = useEndpoints();
  return (
    <Card title="Delivery">
      <EndpointField {...props} endpoints={endpoints} />
    </Card>
  );
}

const idsRefusal = (error: ApiError | undefined): string | undefined =>
  error?.param?.startsWith("ids") === true ? error.message : undefined;

/**
 * Returns the action that creates a watchlist from a draft. Repeated requests for the same draft
 * have the same idempotency key, so they create only one watchlist.
 */
function useCreation({ draft, shop, found }: Draft, scrapers: Scrapers | undefined) {
  const toast = useToast();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const sent = useRef({ body: "", key: "" });
  const create = useAction((api, body: unknown) => {
    const text = JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, key: crypto.randomUUID() };
    return api.send<Watchlist>("POST", "watchlists", {
      body,
      headers: { "Idempotency-Key": sent.current.key },
    });
  });
  const problem = idsProblem(found, draft.ids);
  const submit = async (): Promise<void> => {
    setAsked(true);
    const pipeline = pipelineOf(draft.pipeline, scrapers);
    if (problem !== undefined || pipeline === undefined) return focusOnInvalid();
    const list = await create.run({
      ...shop,
      ...scheduleFieldsOf(draft.schedule),
      ...settingFields(draft, { pipeline: draft.pipeline, scrapers }),
      ...limitFieldsOf(draft.limits),
      name: draft.name,
      ids: found.ids.join("\n"),
      pipeline,
      webhook_url: draft.endpoint,
    });
    if (list === undefined) return focusOnInvalid();
    toast(
      <>
        “<Name>{list.name}</Name>” was created. Its first run starts now.
      </>,
    );
    return navigate(linkTo(`/watchlists/${list.id}`));
  };
  return { create, submit, idsError: isAsked ? problem : undefined };
}

/** Moves the focus to the first field with an error once the page shows the error. */
function focusOnInvalid(): void {
  setTimeout(() => document.querySelector<HTMLElement>("main [aria-invalid]")?.focus());
}
