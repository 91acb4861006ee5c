/** The kind of every runtime, in registry order, for code that should not load the runtimes. */
export const runtimeKinds: readonly string[] = ["opencode", "claude", "pi", "stub"];
