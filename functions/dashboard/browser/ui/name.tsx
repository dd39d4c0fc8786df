/** A user-given name in a sentence. Right-to-left letters in it do not reorder the sentence. */
export const Name = ({ children }: { readonly children: string }) => <bdi>{children}</bdi>;
