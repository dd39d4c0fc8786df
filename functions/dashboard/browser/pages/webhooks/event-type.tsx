import { Fragment } from "preact";

/** Shows an event type. A line break in the type is allowed only after its dots. */
export const EventType = ({ type }: { readonly type: string }) => (
  <>
    {type.split(".").map((part, n) => (
      <Fragment key={part}>
        {n > 0 && (
          <>
            .<wbr />
          </>
        )}
        {part}
      </Fragment>
    ))}
  </>
);
