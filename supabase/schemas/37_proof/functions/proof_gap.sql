-- Why: the gate "worker", checked before a task is done: what its story still lacks. Null when nothing is missing, when
-- the story has other unfinished tasks, and in products with another requirement or none.
create function private.proof_gap(p_task_id uuid)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select private.missing_proof(array[t.story_id], 'worker')
    from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires = 'worker' and private.finishes_story(t.id)
  );
end;
$$;

comment on function private.proof_gap is 'What a worker has to prove before a task is done (docs/proof.md).';
