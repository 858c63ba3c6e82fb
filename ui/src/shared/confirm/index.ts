export { Confirmation } from './Confirmation';
export { isProposal, proposalOf, type Proposal } from './proposal';
