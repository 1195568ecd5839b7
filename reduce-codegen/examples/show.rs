//! scratch
use reduce_dsl::{func::Param, operators::operator, pass::Pass, spec::Passes, *};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let op = operator(&a[1]).unwrap();
    let ty = Scalar::from_name(&a[2]).unwrap();
    let inputs: Vec<_> = ["x", "y"][..op.inputs].iter().map(|n| Param::new(*n, ty)).collect();
    let passes: Vec<Pass> = a[3..]
        .iter()
        .map(|w| {
            let (n, k) = w.split_once('=').unwrap_or((w, "0"));
            pass::PassWord::named(n).unwrap().with(k.parse().unwrap()).unwrap()
        })
        .collect();
    let spec = Spec {
        operation: op.apply(&inputs, None).unwrap(),
        text: String::new(),
        block: std::env::var("BLOCK").ok().map(|b| b.parse().unwrap()),
        passes: Passes::List(passes),
    };
    let p = reduce_codegen::compile(&spec).unwrap();
    if std::env::var("IR").is_ok() {
        println!("{p}{}{}", p.association(), reduce_codegen::expand(&p).unwrap());
    }
    println!("{}", reduce_codegen::cuda(&p).unwrap());
}
