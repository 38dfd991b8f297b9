// What the lookup knows: written by `errdex site` from the entries and from the constants of the Python modules.
import { revive } from "./pattern.js";

const response = await fetch(new URL("knowledge.json", import.meta.url));
if (!response.ok) throw new Error(`knowledge.json: ${response.status}`);
const { constants, ...rest } = await response.json();

export const knowledge = rest;
export const constantsOf = Object.fromEntries(Object.entries(constants).map(([module, values]) => [module, revive(values)]));
