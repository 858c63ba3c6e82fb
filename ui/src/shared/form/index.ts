export { labelOf, planOf } from './schema';
export { focusProblem, SchemaForm } from './SchemaForm';
export { useSchemaForm, usePlanForm, type SchemaFormState } from './useSchemaForm';
export { ToolPurpose } from './ToolPurpose';
export { useNoteSearch, useValuesInUse } from './useOffers';
export { useStarts, type Starts } from './useStarts';
export { argsOf, draftOf, type Field, type ObjectField, type Problem } from './plan';
export type { Suggest, Suggestion } from './Suggestions';
