import { useEffect, useState } from "preact/hooks";

/** The media query with which the style sheets select the layout of phones. */
const narrow = "(max-width: 50rem)";

/** Returns true while the window is so narrow that the style sheets use the layout of phones. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const query = matchMedia(narrow);
    const follow = (): void => setNarrow(query.matches);
    follow();
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
