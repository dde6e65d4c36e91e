-- Why: whether a person has discarded work of a failed run's branch since; the next run then takes another branch.
create function private.was_started_over(p_sprint_id uuid, p_since timestamptz)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.stories s join public.fresh_starts f on f.story_id = s.id
    where s.sprint_id = p_sprint_id and f.created_at >= p_since);
end;
$$;

comment on function private.was_started_over is 'Whether a story of a sprint was started over since a moment.';
