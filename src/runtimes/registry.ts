/** All runtimes. To add one, add its folder and an entry in this list. The first is the default for lanes. */
import { claude } from "./claude/descriptor.ts";
import type { RuntimeDescriptor } from "./descriptor.ts";
import { opencode } from "./opencode/descriptor.ts";
import { pi } from "./pi/descriptor.ts";
import { stub } from "./stub/descriptor.ts";

export const runtimeDescriptors: readonly [RuntimeDescriptor, ...RuntimeDescriptor[]] = [opencode, claude, pi, stub];

/** The kind of every runtime, in this order. */
export const runtimeKinds: readonly string[] = runtimeDescriptors.map(({ kind }) => kind);
