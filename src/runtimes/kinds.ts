/** The kind of every runtime, in the order of the registry, for whoever needs no more of them: it loads none of their code. */
export const runtimeKinds: readonly string[] = ["opencode", "claude", "pi", "stub"];
