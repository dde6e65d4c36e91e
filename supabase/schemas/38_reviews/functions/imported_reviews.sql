-- Why: imported reviews have no job page, so their task's page shows them.
-- Definer: the page has checked access to the task; checked here again to be safe.
create function private.imported_reviews(p_task_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_access('task', p_task_id);
  return (
    select coalesce(json_agg(json_build_object('id', r.id, 'attempt', r.attempt, 'verdict', r.verdict, 'summary', r.summary,
      'author', r.author, 'created_at', r.created_at,
      'comments', (
        select coalesce(json_agg(json_build_object('id', c.id, 'path', c.path, 'line', c.line, 'line_text', c.line_text,
          'body', c.body, 'author', c.author, 'created_at', c.created_at) order by c.created_at, c.id), '[]')
        from public.job_comments c where c.review_id = r.id)
    ) order by r.created_at, r.id), '[]')
    from public.job_reviews r where r.task_id = p_task_id);
end;
$$;

comment on function private.imported_reviews is 'Reviews of a task that came with an import. Used by get_task_page only.';

grant execute on function private.imported_reviews to authenticated;
