// Takes out of a message what differs from run to run; mirrors errdex.normalize.
import { constantsOf } from "./knowledge.js";

const { VOLATILE } = constantsOf.normalize;

export const normalize = (text) => VOLATILE.reduce((left, [pattern, put]) => pattern.sub(put, left)[0], text).trim();
