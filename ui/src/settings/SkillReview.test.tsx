import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { Result, SkillRow } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { SkillDetail } from './SkillDetail';
import { SkillReview } from './SkillReview';

type Review = Result<'review_skill'>;

function shown(part: Partial<Review> = {}) {
  const backend = new FakeBackend(sampleWorld());
  const plain = backend.review_skill({ skill: 'pdf' });
  backend.on('review_skill', () => ({ ...plain, ...part }));
  return renderInApp(<SkillReview skill="pdf" />, { backend }).backend;
}

it('approves exactly what is shown', async () => {
  const backend = shown();
  expect(await screen.findByText('SKILL.md')).toBeInTheDocument();
  expect(screen.getByTestId('skill-review')).toHaveTextContent('Hosts: pdf.example');
  expect(screen.getByTestId('skill-review')).toHaveTextContent(/where set: PDF_TOKEN/);
  expect(screen.getByText(/does not grant: Bash/)).toBeInTheDocument();
  const accept = screen.getByTestId('skill-accept');
  await waitFor(() => expect(accept).toBeEnabled());
  await userEvent.click(accept);
  expect(backend.asked('accept_skill')).toEqual([{ skill: 'pdf', fingerprint: 'f1' }]);
});

it('warns of requests it would take, and leaves the decision to the user', async () => {
  const backend = new FakeBackend(sampleWorld());
  backend.on('taken_by_skill', () => [
    { skill: 'lookup', text: 'Pull up UBER', missing: ['Add "Pull up TICKER" to hints.use_when of lookup.'] },
  ]);
  renderInApp(<SkillReview skill="pdf" />, { backend });
  const warning = await screen.findByTestId('review-taken');
  expect(warning).toHaveTextContent('Once on, it would take 1 request meant for other skills.');
  expect(warning).toHaveTextContent('“Pull up UBER” is meant for lookup');
  expect(warning).toHaveTextContent('Add "Pull up TICKER" to hints.use_when of lookup.');
  expect(backend.asked('taken_by_skill')).toEqual([{ skill: 'pdf' }]);
  const accept = screen.getByTestId('skill-accept');
  await waitFor(() => expect(accept).toBeEnabled());
  await userEvent.click(accept);
  expect(backend.asked('accept_skill')).toHaveLength(1);
});

it('has no warning if nothing is misrouted, or if the check fails', async () => {
  const backend = new FakeBackend(sampleWorld());
  backend.fail('taken_by_skill');
  renderInApp(<SkillReview skill="pdf" />, { backend });
  expect(await screen.findByTestId('skill-review')).toBeVisible();
  expect(screen.queryByTestId('review-taken')).toBeNull();
});

it('shows changes since the last approval', async () => {
  shown({
    state: 'changed',
    files: [
      { path: 'SKILL.md', bytes: 120, change: 'changed' },
      { path: 'scripts/a\u200bb.sh', bytes: 9, change: 'added' },
    ],
    removed: ['references/old.md'],
  });
  expect(await screen.findByText('changed')).toBeInTheDocument();
  expect(screen.getByText('new')).toBeInTheDocument();
  expect(screen.getByText('references/old.md')).toBeInTheDocument();
  expect(screen.getByText('U+200B')).toBeInTheDocument();
});

it('shows why an approval was refused, and reloads', async () => {
  const backend = shown();
  backend.fail('accept_skill', { code: 'skill_needs_review', message: 'Its files are others now.' });
  const accept = await screen.findByTestId('skill-accept');
  await waitFor(() => expect(accept).toBeEnabled());
  await userEvent.click(accept);
  expect(await screen.findByText(/Its files are others now/)).toBeInTheDocument();
  expect(backend.asked('review_skill')).toHaveLength(2);
});

it.each([
  { foreign: true, state: 'needs_review', asked: 1 },
  { foreign: true, state: 'available', asked: 0 },
  { foreign: false, state: 'available', asked: 0 },
] as const)('is shown only for a waiting third-party skill: $foreign, $state', async ({ foreign, state, asked }) => {
  const [any] = sampleWorld().skills;
  const row: SkillRow = { ...(any as SkillRow), id: 'pdf', name: 'PDF', foreign, state, reason: null };
  const { backend } = renderInApp(
    <SkillDetail row={row} now={0} onToggle={() => {}} onSet={() => {}} onRemedy={() => {}} attempt={() => Promise.resolve(null)} />,
  );
  expect(await screen.findByText(foreign ? 'Elsewhere' : 'Native')).toBeInTheDocument();
  await waitFor(() => expect(backend.asked('list_tools')).not.toHaveLength(0));
  expect(backend.asked('review_skill')).toHaveLength(asked);
});
