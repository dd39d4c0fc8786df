import type { Platform } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";
import { Field } from "../../ui/field.tsx";
import { type CallId, type Draft, endpointOf, idsIn, isItemCall } from "./calls.ts";
import { IdsToTry } from "./ids-to-try.tsx";

interface CallFieldsProps {
  readonly call: CallId;
  readonly draft: Draft;
  readonly platforms: readonly Platform[];
  /** The error of the IDs, the offers or the days; undefined if there is none. */
  readonly error: string | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Fields for the parameters of the chosen call. */
export function CallFields(props: CallFieldsProps) {
  const { call, draft, error, onChange } = props;
  if (call === "usage") {
    return (
      <Field label="Days" hint="From 1 to 90, including today." error={error}>
        {(control) => (
          <input
            {...control}
            type="number"
            min="1"
            max="90"
            value={draft.days}
            onInput={(event) => onChange({ days: event.currentTarget.value })}
          />
        )}
      </Field>
    );
  }
  if (!isItemCall(call)) return null;
  return (
    <>
      <ShopFields {...props} />
      {call === "offer_check" ? <OffersField {...props} /> : <IdsField {...props} />}
    </>
  );
}

interface Option {
  readonly id: string;
  readonly label: string;
  readonly disabled?: boolean;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option
              key={option.id}
              value={option.id}
              disabled={option.disabled}
              selected={option.id === value}
            >
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function ShopFields({ call, draft, platforms, onChange }: CallFieldsProps) {
  if (!isItemCall(call)) return null;
  const platform = platforms.find(({ id }) => id === draft.platform);
  const endpoint = endpointOf(platform, call);
  return (
    <div class="form-row">
      <Choice
        label="Platform"
        value={draft.platform}
        options={platforms.map((one) =>
          live(endpointOf(one, call)?.status === "live", { id: one.id, label: one.name }),
        )}
        onChange={(id) => onChange({ platform: id, tier: "", marketplace: "" })}
      />
      <Choice
        label="Marketplace"
        value={draft.marketplace === "" ? (platform?.default_marketplace ?? "") : draft.marketplace}
        options={(platform?.marketplaces ?? []).map(({ code, name, endpoints }) =>
          live(endpoints[call] === "live", { id: code, label: `${name} (${code})` }),
        )}
        onChange={(marketplace) => onChange({ marketplace })}
      />
      {call === "products" && (
        <Choice
          label="Tier"
          value={draft.tier}
          options={(endpoint?.tiers ?? []).map(({ id, name, credits_per_item: rate }) => ({
            id,
            label: `${name}, ${rate} ${rate === 1 ? "credit" : "credits"}`,
          }))}
          onChange={(tier) => onChange({ tier })}
        />
      )}
      {call === "offers" && (
        <Choice
          label="Condition"
          value={draft.condition}
          options={[
            { id: "all", label: "All" },
            { id: "new", label: "New" },
            { id: "used", label: "Used" },
          ]}
          onChange={(condition) => onChange({ condition })}
        />
      )}
    </div>
  );
}

const live = (isLive: boolean, option: Option): Option =>
  isLive ? option : { ...option, label: `${option.label}, coming soon`, disabled: true };

function IdsField({ call, draft, platforms, error, onChange }: CallFieldsProps) {
  const platform = platforms.find(({ id }) => id === draft.platform);
  const tiers = isItemCall(call) ? (endpointOf(platform, call)?.tiers ?? []) : [];
  const most = (tiers.find(({ id }) => id === draft.tier) ?? tiers[0])?.max_items_per_call;
  const bound = most === undefined ? "" : ` At most ${formatCount(most)} per call.`;
  return (
    <>
      <Field
        label={platform === undefined ? "IDs" : plural(platform.id_name)}
        error={error}
        hint={`One per line, or separated by commas.${bound}`}
      >
        {(control) => (
          <textarea
            {...control}
            rows={4}
            spellcheck={false}
            autocapitalize="off"
            value={draft.ids}
            onInput={(event) => onChange({ ids: event.currentTarget.value })}
          />
        )}
      </Field>
      <IdsToTry
        platform={draft.platform}
        onAdd={(id) => onChange({ ids: [...idsIn(draft.ids), id].join("\n") })}
      />
    </>
  );
}

const plural = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}s`;

function OffersField({ draft, error, onChange }: CallFieldsProps) {
  return (
    <Field
      label="Offers"
      error={error}
      hint="One offer in each line: the item ID, a space, and the offerListingId from an offers call."
    >
      {(control) => (
        <textarea
          {...control}
          rows={4}
          spellcheck={false}
          autocapitalize="off"
          value={draft.offers}
          onInput={(event) => onChange({ offers: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}
