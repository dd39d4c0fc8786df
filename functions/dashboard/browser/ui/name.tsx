/** What somebody called something, in a sentence: letters of another direction do not turn the rest. */
export const Name = ({ children }: { readonly children: string }) => <bdi>{children}</bdi>;
