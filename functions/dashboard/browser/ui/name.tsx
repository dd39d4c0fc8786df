/**
 * A name that a user chose, within a sentence. Right-to-left letters in the name do not reorder the
 * sentence.
 */
export const Name = ({ children }: { readonly children: string }) => <bdi>{children}</bdi>;
