-- Who observed it, from weakest to strongest: the agent says so, the worker program ran the command and saw the exit
-- code, another worker checked a clean checkout, continuous integration, a person. Compared with < and >=.
create type public.evidence_grade as enum ('said', 'worker', 'other_worker', 'ci', 'person');
create type public.evidence_verdict as enum ('pass', 'fail', 'unverifiable');
create type public.evidence_kind as enum ('command', 'diff', 'file', 'picture', 'link', 'person');

comment on type public.evidence_grade is 'Who observed a piece of evidence, weakest first (docs/proof.md).';
comment on type public.evidence_verdict is 'What a piece of evidence says of its criterion (docs/proof.md).';
comment on type public.evidence_kind is 'What a piece of evidence is (docs/proof.md).';

-- One criterion of a story and its state.
create type private.proven_criterion as (
  story_id uuid,
  place integer,
  id text,
  kind text,
  text text,
  state text,
  grade public.evidence_grade,
  evidence_id uuid
);

comment on type private.proven_criterion is 'A criterion of a story with its state (docs/proof.md).';
