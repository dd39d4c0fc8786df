import { Fragment } from "preact";

/** An event type, which may break only after its dots. */
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
