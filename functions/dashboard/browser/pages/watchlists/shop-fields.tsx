import type { ApiError } from "../../api/api-error.ts";
import type { Platform } from "../../api/resources.ts";
import { Field } from "../../ui/field.tsx";
import type { Shop } from "./pipeline-form.tsx";

interface ShopFieldsProps {
  /** The platforms that the service can read. */
  readonly platforms: readonly Platform[];
  readonly shop: Shop;
  readonly onChange: (shop: Shop) => void;
  readonly error: ApiError | undefined;
}

/**
 * Fields for the platform and the marketplace, which cannot be changed after a watchlist is
 * created.
 */
export function ShopFields({ platforms, shop, onChange, error }: ShopFieldsProps) {
  const platform = platforms.find(({ id }) => id === shop.platform);
  const messageOf = (param: string): string | undefined =>
    error?.param === param ? error.message : undefined;
  return (
    <div class="form-row">
      <Field label="Platform" error={messageOf("platform")}>
        {(control) => (
          <select
            {...control}
            value={shop.platform}
            onChange={({ currentTarget: { value } }) => {
              const chosen = platforms.find(({ id }) => id === value);
              onChange({ platform: value, marketplace: chosen?.default_marketplace ?? "" });
            }}
          >
            {platforms.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Marketplace" error={messageOf("marketplace")}>
        {(control) => (
          <select
            {...control}
            value={shop.marketplace}
            onChange={(event) => onChange({ ...shop, marketplace: event.currentTarget.value })}
          >
            {platform?.marketplaces.map(({ code, name, currency, status }) => (
              <option key={code} value={code} disabled={status !== "live"}>
                {name} ({currency}){status === "live" ? "" : " – coming soon"}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
