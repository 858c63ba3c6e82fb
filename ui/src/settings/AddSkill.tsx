// Ways to add a skill: a scaffold, an existing folder, or the manual.

import { useState, type FormEvent } from 'react';

import { nothing, useBackend } from '../ipc';
import { Button, ErrorBox, Icon, LinkButton, Loading, TextField } from '../shared';
import { Html } from '../shared/Html';
import { Popover } from '../shared/Popover';
import { Sheet } from '../shared/Sheet';
import { useAttempt } from '../shared/useAttempt';
import { useActions, useRpc } from '../state/hooks';

export function AddSkill({ onCreated }: { onCreated: (skill: string) => void }) {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const [open, setOpen] = useState(false);
  const [reading, setReading] = useState(false);
  const [name, setName] = useState('');
  const { busy, problem, attempt, clear } = useAttempt();
  const create = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      const { skill } = await backend.rpc('create_skill', { name: name.trim() });
      registryChanged();
      setName('');
      setOpen(false);
      onCreated(skill);
    });
  };

  return (
    <>
      <Popover
        label="Add a skill"
        align="end"
        open={open}
        onOpenChange={(opened) => {
          setOpen(opened);
          clear();
        }}
        trigger={
          <Button data-testid="add-skill">
            <Icon name="plus" size={14} /> Add skill
          </Button>
        }
      >
        <div className="flex w-80 flex-col gap-3">
          <form onSubmit={create} className="flex flex-col gap-1.5">
            <label htmlFor="new-skill" className="font-medium">
              Write one of your own
            </label>
            <span className="flex gap-2">
              <TextField
                id="new-skill"
                placeholder="trip-planner"
                aria-describedby="new-skill-note"
                className="min-w-0 flex-1"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
              <Button type="submit" variant="primary" disabled={busy || name.trim() === ''} data-testid="create-skill">
                Create
              </Button>
            </span>
            <span id="new-skill-note" className="text-small text-fg-3">
              Its first files work at once; change them as you like.
            </span>
          </form>
          {problem && <ErrorBox error={problem} />}
          <div className="flex flex-col gap-0.5">
            <span className="font-medium">Add a folder</span>
            <span className="text-small text-fg-3">Nova loads any folder with a SKILL.md.</span>
            <LinkButton
              className="self-start"
              data-testid="show-skills-folder"
              onClick={() => void attempt(async () => void (await backend.rpc('show_skills_folder', nothing)))}
            >
              Show the skills folder
            </LinkButton>
          </div>
          <div className="flex flex-col gap-0.5">
            <span className="font-medium">How to write a skill</span>
            <LinkButton
              className="self-start"
              data-testid="read-skill-manual"
              onClick={() => {
                setOpen(false);
                setReading(true);
              }}
            >
              Open the manual
            </LinkButton>
          </div>
        </div>
      </Popover>
      {reading && <Manual onClose={() => setReading(false)} />}
    </>
  );
}

function Manual({ onClose }: { onClose: () => void }) {
  const { openLink } = useActions();
  const manual = useRpc('skill_manual', nothing);
  return (
    <Sheet side="right" width={640} label="How skills are written" onClose={onClose}>
      <div className="min-h-0 flex-1 overflow-y-auto p-6" data-testid="skill-manual">
        {manual.error && <ErrorBox error={manual.error} />}
        {manual.data ? (
          <Html html={manual.data.html} onNote={() => undefined} onLink={openLink} />
        ) : (
          manual.loading && <Loading lines={6} />
        )}
      </div>
      <footer className="flex justify-end border-t border-line p-3">
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Sheet>
  );
}
