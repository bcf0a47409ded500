//! `dirname`.

use super::Call;
use super::options::{Spec, Value, parse};

const OPTIONS: &[Spec] = &[Spec('z', "zero", Value::None)];

pub fn run(call: &mut Call<'_>) -> i32 {
    let problem = match parse(call.args, OPTIONS) {
        Ok(options) if !options.operands.is_empty() => {
            let end = if options.has("z") { '\0' } else { '\n' };
            for name in &options.operands {
                call.out.push_str(directory_of(name));
                call.out.push(end);
            }
            return 0;
        }
        Ok(_) => "missing operand".to_string(),
        Err(problem) => problem,
    };
    call.complain(&format!("{problem}\nTry 'dirname --help' for more information."));
    1
}

fn directory_of(name: &str) -> &str {
    let own = name.trim_end_matches('/');
    match own.rfind('/') {
        _ if own.is_empty() && !name.is_empty() => "/",
        None => ".",
        Some(at) => match own[..at].trim_end_matches('/') {
            "" => "/",
            above => above,
        },
    }
}
